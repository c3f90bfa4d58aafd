package cmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/process"
	"github.com/idem-toolkit/idem/internal/reference"
	"github.com/idem-toolkit/idem/internal/selftest"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
	"github.com/idem-toolkit/idem/internal/zoo"
)

// errUnsent marks a check that could not begin: another port may help.
var errUnsent = errors.New("nothing was sent")

// starts is how often a check is begun where its service cannot start: between
// finding a free port and using it another program may take it.
const starts = 3

// check is one whole live check of a variant.
func (t *selfTest) check(ctx context.Context, c selfCase) selftest.Run {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, checkMost)
	defer cancel()
	var steps []probe.Result
	var err error
	for range starts {
		if steps, err = t.attempt(ctx, c); !errors.Is(err, errUnsent) || ctx.Err() != nil {
			break
		}
	}
	run := selftest.Run{Steps: steps, Took: time.Since(began)}
	switch {
	case err != nil:
		run.Error = problem.Line(err.Error())
	case ctx.Err() != nil:
		run.Error = fmt.Sprintf("it did not end within %s", checkMost)
	}
	return run
}

// attempt serves the variant and checks it. All that it makes is gone when it
// returns, but for a trace that is to be kept.
func (t *selfTest) attempt(ctx context.Context, c selfCase) ([]probe.Result, error) {
	dir, err := os.MkdirTemp("", "idem-self-test-")
	if err != nil {
		return nil, problem.New("", "no temporary folder can be made: %s", reason(err))
	}
	defer os.RemoveAll(dir)
	place, err := t.seat(ctx, c.store, dir)
	if err != nil {
		return nil, err
	}
	defer place.leave()
	world := place.world(t.app)
	spec, err := contract.Parse(filepath.Join(dir, c.variant.Name+".yaml"), c.variant.Contract(c.store), nil)
	if err != nil {
		return nil, err
	}
	if c.store == zoo.Memory {
		service, err := serveInMemory(ctx, world, c.variant, place)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUnsent, err)
		}
		defer service.Stop(stopWithin)
	}
	return t.live(ctx, world, c, spec)
}

// live is the check itself, as idem verify makes it, judged from its trace.
func (t *selfTest) live(ctx context.Context, world *App, c selfCase, spec *contract.Contract) ([]probe.Result, error) {
	o := &verifyOptions{seed: t.verify.seed + uint64(c.repeat), selection: t.verify.selection, http: t.verify.http, races: t.verify.races, tracePath: t.tracePath(c)}
	live, err := prepareLive(ctx, world, o, spec)
	if err != nil {
		return nil, err
	}
	file, done, err := o.traceFile()
	if err != nil {
		return nil, err
	}
	defer done()
	broken := live.Run(ctx, trace.NewWriter(file))
	if broken != nil {
		if isEmpty(file) {
			os.Remove(o.tracePath) // the next attempt makes it anew
			return nil, fmt.Errorf("%w: %w", errUnsent, broken)
		}
		return nil, broken
	}
	for _, left := range live.Left() {
		fmt.Fprintf(t.app.Err, "idem: %s\n", left)
	}
	report, err := judgedRun(file)
	if err != nil {
		return nil, err
	}
	var steps []probe.Result
	for _, op := range report.Operations {
		steps = append(steps, op.Steps...)
	}
	return steps, nil
}

// tracePath is where a check's trace is kept, "" where none is.
func (t *selfTest) tracePath(c selfCase) string {
	if t.verify.tracePath == "" {
		return ""
	}
	name := fmt.Sprintf("%s-%s.ndjson", c.store, c.variant.Name)
	if t.repeats(c.variant) > 1 {
		name = fmt.Sprintf("%s-%s-%d.ndjson", c.store, c.variant.Name, c.repeat+1)
	}
	return filepath.Join(t.verify.tracePath, name)
}

// seat is where one check's service keeps its records and listens.
type seat struct {
	settings map[string]string // of the contract's variables
	inherit  []string          // what the service's process gets besides
	leave    func()
}

// seat makes a store and finds ports that no other check uses.
func (t *selfTest) seat(ctx context.Context, store zoo.Store, dir string) (*seat, error) {
	var err error
	p := &seat{settings: map[string]string{
		zoo.EnvProgram: t.program, zoo.EnvToken: "one-" + randomHex(), zoo.EnvOther: "two-" + randomHex(),
	}}
	p.leave = func() { t.free(p.settings[zoo.EnvAddress], p.settings[zoo.EnvReplica]) }
	for _, name := range []string{zoo.EnvAddress, zoo.EnvReplica} {
		if p.settings[name], err = t.port(); err != nil {
			return nil, err
		}
	}
	switch store {
	case zoo.File:
		p.settings[zoo.EnvStore] = "sqlite:" + filepath.ToSlash(filepath.Join(dir, "charges.db"))
	case zoo.Postgres:
		dsn, drop, err := reference.Schema(ctx, t.verify.selfTest.dsn)
		if err != nil {
			return nil, err
		}
		p.settings[zoo.EnvDSN] = dsn
		p.inherit = append(p.inherit, zoo.EnvDSN+"="+dsn)
		p.leave = func() {
			t.free(p.settings[zoo.EnvAddress], p.settings[zoo.EnvReplica])
			if err := drop(context.WithoutCancel(ctx)); err != nil {
				fmt.Fprintf(t.app.Err, "idem: a schema is left in the database: %s\n", err)
			}
		}
	}
	return p, nil
}

// world is the same world with the place's settings, without a terminal: many
// checks share that.
func (p *seat) world(app *App) *App {
	world := *app
	world.ErrTTY, world.Terminal, world.Verbose = false, nil, false
	world.LookupEnv = func(name string) (string, bool) {
		if v, ok := p.settings[name]; ok {
			return v, true
		}
		return app.LookupEnv(name)
	}
	world.Environ = func() []string { return append(app.Environ(), p.inherit...) }
	return &world
}

// Ports below those that systems give to outgoing connections: between a kill
// and the next start one of thousands of connections would else take the
// service's port now and then.
const (
	lowestPort = 20_000
	portRange  = 10_000
	portTries  = 1_000
)

// port finds a loopback port that nothing listens on and no other check uses.
func (t *selfTest) port() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ports == nil {
		t.ports = map[string]bool{}
	}
	for range portTries {
		n, err := rand.Int(rand.Reader, big.NewInt(portRange))
		if err != nil {
			return "", err
		}
		address := "127.0.0.1:" + strconv.Itoa(lowestPort+int(n.Int64()))
		if t.ports[address] {
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		l.Close()
		t.ports[address] = true
		return address, nil
	}
	return "", problem.New("", "no loopback port from %d to %d is free", lowestPort, lowestPort+portRange-1)
}

// free gives ports back: thousands of checks would use them all up.
func (t *selfTest) free(addresses ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range addresses {
		delete(t.ports, a)
	}
}

// Times of a service in memory.
const (
	startWithin = 30 * time.Second
	stopWithin  = 5 * time.Second
)

// serveInMemory starts a variant whose contract does not say how.
func serveInMemory(ctx context.Context, world *App, v zoo.Variant, p *seat) (*process.Service, error) {
	endpoint, err := wire.ParseEndpoint("http://"+p.settings[zoo.EnvAddress], nil)
	if err != nil {
		return nil, err
	}
	if v.HTTP == contract.HTTP2 {
		endpoint = endpoint.Speaking(wire.HTTP2)
	}
	var argv []string
	for _, arg := range v.Command(zoo.Memory) {
		argv = append(argv, os.Expand(arg, func(name string) string { return p.settings[name] }))
	}
	began := time.Now()
	client := wire.New(wire.Options{Timeout: startWithin, Clock: func() int64 { return int64(time.Since(began)) + 1 },
		AllowHosts: func(host string) bool { return host == "127.0.0.1" || host == p.settings[zoo.EnvAddress] }})
	service := process.NewService(process.Command{Argv: argv, Environ: world.Environ()},
		process.Ready{Client: client, Endpoint: endpoint, Path: zoo.Ready})
	if _, err := service.Start(ctx); err != nil {
		return nil, err
	}
	if err := service.AwaitReady(ctx, startWithin); err != nil {
		service.Stop(stopWithin)
		return nil, err
	}
	return service, nil
}
