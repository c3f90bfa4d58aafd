package main

import (
	"os"
	"strings"

	"github.com/idem-toolkit/idem/internal/nginx"
)

// fronted is a proxy in front of the server, started by this run.
type fronted struct {
	name string
	to   target
}

// startNginx puts Debian's nginx in front of the server, once as it is, which
// passes a request on when it is whole, and once with proxy_request_buffering
// off. Where there is no nginx it does nothing. stop ends what was started, also
// where there is an error.
func (g *rig) startNginx(folder, server string) (stop func(), err error) {
	var running []*nginx.Server
	stop = func() {
		for _, s := range running {
			s.Stop()
		}
	}
	if _, err := nginx.Find(); err != nil {
		return stop, nil
	}
	version, err := nginx.Version()
	if err != nil {
		return stop, err
	}
	version = strings.ReplaceAll(version, "/", " ")
	for _, streaming := range []bool{false, true} {
		own, err := os.MkdirTemp(folder, "nginx-")
		if err != nil {
			return stop, err
		}
		s, err := nginx.Start(own, nginx.Config{Upstreams: []string{server}, Streaming: streaming})
		if err != nil {
			return stop, err
		}
		running = append(running, s)
		name := version + ", buffering"
		if streaming {
			name = version + ", streaming"
		}
		g.fronts = append(g.fronts, fronted{name, target{base: "http://" + s.Plain, prior: "http://" + s.Prior}})
	}
	return stop, nil
}
