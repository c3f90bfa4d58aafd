package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/idem-toolkit/idem/internal/certificate"
)

// start starts the server, and what stands before it and beside it. stop ends
// all that was started, also where there is an error.
func (g *rig) start(ctx context.Context, r *results) (stop func(), err error) {
	var ends []func()
	stop = func() {
		for i := range ends {
			ends[len(ends)-1-i]()
		}
	}
	folder, err := os.MkdirTemp("", "release-")
	if err != nil {
		return stop, err
	}
	ends = append(ends, func() { os.RemoveAll(folder) })
	said, err := spawn(ctx, nil, "serve")
	if err != nil {
		return stop, err
	}
	ends = append(ends, said.stop)
	g.plain.base, g.secure.base = "http://"+said.Plain, "https://"+said.Secure
	g.findFloors(stopping(said.process), r)
	one, err := spawn(ctx, []string{"GOMAXPROCS=1"}, "serve")
	if err != nil {
		return stop, err
	}
	ends = append(ends, one.stop)
	g.single.base = "http://" + one.Plain
	if g.secure.config, err = certificate.Trusting([]byte(said.Certificate)); err != nil {
		return stop, err
	}
	g.secure.roots = filepath.Join(folder, "roots.pem")
	if err := os.WriteFile(g.secure.roots, []byte(said.Certificate), 0o600); err != nil {
		return stop, err
	}
	if g.relay {
		told, err := spawn(ctx, nil, "relay", said.Plain, g.delay.String(), g.jitter.String())
		if err != nil {
			return stop, err
		}
		ends = append(ends, told.stop)
		g.relayed.base = "http://" + told.Plain
	}
	if g.nginx {
		end, err := g.startNginx(folder, said.Plain)
		ends = append(ends, end)
		if err != nil {
			return stop, err
		}
		if len(g.fronts) == 0 {
			r.Missing = append(r.Missing, "nginx, which is not here")
		}
	}
	if g.compare {
		g.rivals = findRivals(ctx, folder, g.install)
		r.Missing = append(r.Missing, g.rivals.missing...)
	}
	return stop, nil
}

// findFloors tries whether the server can be stopped; where it cannot, that is
// said, and there is no pace of its own to measure.
func (g *rig) findFloors(still stillness, r *results) {
	if err := still(func() error { return nil }); err != nil {
		r.Missing = append(r.Missing, "the server's own pace, for which it is stopped: "+err.Error())
		return
	}
	g.floors = floorWays(still)
}
