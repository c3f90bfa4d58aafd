package run

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/effect"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/process"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// Bounds of what is started and called.
const (
	startMost = 60 * time.Second // until a service is ready the first time
	stopGrace = 5 * time.Second
	hookMost  = 60 * time.Second
)

// world is what a live run has of the world: endpoints, credentials, counters
// and services, by operation.
type world struct {
	live     *Live
	targets  map[string]Target
	services []*service
	counters *effect.Set
	auth     Credential
	left     []string // what was started and would not end
}

// newWorld reads credentials and makes ready what the jobs need. Nothing is
// started yet.
func newWorld(ctx context.Context, l *Live) (*world, error) {
	w := &world{live: l, targets: map[string]Target{}}
	c := l.options.Contract
	config, err := l.certificate(c.Target.Auth)
	if err != nil {
		return nil, err
	}
	if l.bases, err = endpoints(c, c.Target.BaseURLs, config); err != nil {
		return nil, err
	}
	auth, err := l.credential(ctx, c.Target.Auth, "auth")
	if err != nil {
		return nil, err
	}
	w.auth = auth
	other, err := l.credential(ctx, c.Target.OtherAuth, "other_auth")
	if err != nil {
		return nil, err
	}
	for _, job := range l.jobs {
		t := Target{Bases: l.bases, Auth: auth, Other: other}
		if err := w.outfit(job, &t, config); err != nil {
			w.close()
			return nil, err
		}
		w.targets[job.Operation.Name] = t
	}
	return w, nil
}

// outfit gives a target its operation's counter, service and clock.
func (w *world) outfit(job *Job, t *Target, config *tls.Config) (err error) {
	op, c := job.Operation, w.live.options.Contract
	if op.Expiry != nil {
		if t.Expiry, err = endpoints(c, op.Expiry.BaseURLs, config); err != nil {
			return err
		}
		if len(op.Expiry.Advance) > 0 {
			t.Advance = w.advance(op.Expiry.Advance)
		}
	}
	if op.Crash != nil {
		s, err := w.service(op)
		if err != nil {
			return err
		}
		t.Service = s
	}
	return nil
}

func endpoints(c *contract.Contract, urls []string, config *tls.Config) ([]wire.Endpoint, error) {
	var out []wire.Endpoint
	for _, u := range urls {
		e, err := wire.ParseEndpoint(u, config)
		if err != nil {
			return nil, problem.New(c.Where(c.Target.Pos), "%s", err).Because(err)
		}
		out = append(out, e)
	}
	return out, nil
}

// certificate reads the certificate of a principal that signs by one.
func (l *Live) certificate(a *contract.Auth) (*tls.Config, error) {
	if a == nil || a.Cert == "" {
		return nil, nil
	}
	config, err := wire.ClientCertificate(l.beside(a.Cert), l.beside(a.CertKey))
	if err != nil {
		return nil, problem.New(l.options.Contract.Where(a.Pos), "%s", err).Because(err)
	}
	return config, nil
}

// beside gives a path of the contract, which is relative to it.
func (l *Live) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(l.options.Contract.File), path)
}

// command is a program of the contract: it runs in the contract's folder and
// never inherits a secret.
func (l *Live) command(argv []string) process.Command {
	return process.Command{Argv: argv, Dir: filepath.Dir(l.options.Contract.File), Environ: l.options.Environ,
		Deny: l.denied(), Mask: l.mask.Text}
}

// denied are the variables that hold secrets: of keys, and of both principals.
func (l *Live) denied() []string {
	out := slices.Clone(l.options.Secrets)
	for _, a := range []*contract.Auth{l.options.Contract.Target.Auth, l.options.Contract.Target.OtherAuth} {
		if a != nil && a.Env != "" {
			out = append(out, a.Env)
		}
	}
	return out
}

// commandOutput runs a credential's command and gives what it prints.
func (l *Live) commandOutput(ctx context.Context, argv []string, where string) ([]byte, error) {
	out, err := process.Run(ctx, l.command(argv), hookMost)
	switch {
	case err != nil:
		return nil, problem.New(where, "the credential's command cannot be run: %s", err)
	case out.Exit.Code != 0 || out.Exit.Signal != "":
		return nil, problem.New(where, "the credential's command failed (%s)", out.Exit)
	case out.More:
		return nil, problem.New(where, "the credential's command printed too much")
	}
	return out.Stdout, nil
}

// advance gives the hook that moves the target's clock on.
func (w *world) advance(argv []string) func(context.Context, time.Duration) trace.Process {
	return func(ctx context.Context, by time.Duration) trace.Process {
		seconds := int64((by + time.Second - 1) / time.Second)
		p := trace.Process{Hook: true, Seconds: seconds}
		if err := process.RunHook(ctx, "advance", w.live.command(argv), seconds, hookMost); err != nil {
			p.Error = err.Error()
		}
		return p
	}
}

// open starts what the run must have before its first request: services, then
// counters, since a counter may ask the service or its files.
func (w *world) open(ctx context.Context) error {
	for _, s := range w.services {
		if s.process == nil {
			continue
		}
		if p := s.Start(ctx, startMost); p.Error != "" && ctx.Err() == nil {
			return problem.New(s.where, "the service cannot be started: %s", w.live.mask.Text(p.Error))
		}
	}
	return w.openCounters()
}

// openCounters opens every operation's counter. An http counter asks the
// instance that the requests go to: for expiry that may be one of its own.
func (w *world) openCounters() error {
	l := w.live
	w.counters = w.counterSet(l.bases[0])
	for _, job := range l.jobs {
		op, t := job.Operation, w.targets[job.Operation.Name]
		l.hideSource(op.Effects)
		c, err := w.openCounter(w.counters, op)
		if err != nil {
			return err
		}
		t.Counter, t.ExpiryCounter = c, c
		if len(t.Expiry) > 0 && op.Effects != nil && op.Effects.Kind == contract.ByHTTP {
			if t.ExpiryCounter, err = w.openCounter(w.counterSet(t.Expiry[0]), op); err != nil {
				return err
			}
		}
		w.targets[op.Name] = t
	}
	return nil
}

func (w *world) counterSet(base wire.Endpoint) *effect.Set {
	l := w.live
	return effect.NewSet(effect.World{Client: l.client, Endpoint: base, LookupEnv: l.options.Lookup,
		Command: l.command(nil), Timeout: l.options.Contract.Target.Timeout,
		Auth: func(context.Context) ([][2]string, error) { return w.auth.lines, nil }})
}

func (w *world) openCounter(set *effect.Set, op *contract.Operation) (Counter, error) {
	c, err := set.Open(op.Effects)
	if err != nil {
		l := w.live
		return nil, problem.New(l.options.Contract.Where(op.Effects.Pos), "%s", l.mask.Text(err.Error())).Because(err)
	}
	return counter{c}, nil
}

// hideSource masks a database's address and its password.
func (l *Live) hideSource(e *contract.Effects) {
	if e == nil || e.Kind != contract.BySQL {
		return
	}
	dsn, _ := l.options.Lookup(e.SQL.DSNEnv)
	l.mask.Add(dsn, "dsn")
	if u, err := url.Parse(dsn); err == nil && u.User != nil {
		password, _ := u.User.Password()
		l.mask.Add(password, "dsn")
	}
}

// counter gives the runner's subjects to an effect counter.
type counter struct{ of effect.Counter }

func (c counter) Count(ctx context.Context, s probe.Subject) (int64, error) {
	return c.of.Count(ctx, effect.Subject{Values: s.Fresh, Text: s.Text})
}

// Look counts and tells what was seen, nothing where the counter cannot tell.
func (c counter) Look(ctx context.Context, s probe.Subject) (n int64, seen string, err error) {
	w, ok := c.of.(effect.Witness)
	if !ok {
		n, err = c.Count(ctx, s)
		return n, "", err
	}
	return w.Look(ctx, effect.Subject{Values: s.Fresh, Text: s.Text})
}

// close ends all that was started, and remembers what would not end.
func (w *world) close() {
	if w.counters != nil {
		w.counters.Close()
	}
	for _, s := range w.services {
		if s.process == nil {
			continue
		}
		s.process.Stop(stopGrace)
		if s.ready.Taken(context.Background()) {
			w.left = append(w.left, "something still answers at "+s.ready.String()+
				": the service has left a process that is not of its group")
		}
	}
}

// service is a service under test: a process of our own, or the user's hooks.
type service struct {
	world   *world
	where   string // in the contract
	name    string // of the process: its command and environment
	process *process.Service
	hooks   *contract.Hooks
	ready   process.Ready
}

// service gives the service of an operation. Operations that declare the same
// process share it.
func (w *world) service(op *contract.Operation) (*service, error) {
	l := w.live
	s := &service{world: w, where: l.options.Contract.Where(op.Crash.Pos), hooks: op.Crash.Hooks}
	s.ready = process.Ready{Client: l.client, Endpoint: l.bases[0]}
	if s.hooks != nil {
		s.ready.Path = s.hooks.Ready
		w.services = append(w.services, s)
		return s, nil
	}
	p := op.Crash.Process
	s.name = fmt.Sprintf("%q %q", p.Command, p.Env)
	for _, known := range w.services {
		if known.process != nil && known.name == s.name {
			return known, nil
		}
	}
	command := l.command(p.Command)
	command.Env = p.Env
	if p.Dir != "" {
		command.Dir = p.Dir
	}
	s.ready.Path = p.Ready
	s.process = process.NewService(command, s.ready)
	w.services = append(w.services, s)
	return s, nil
}

// Kill ends the service without warning and waits until it is gone.
func (s *service) Kill(ctx context.Context) trace.Process {
	if s.hooks != nil {
		p := trace.Process{Hook: true}
		if err := process.RunHook(ctx, "kill", s.world.live.command(s.hooks.Kill), 0, hookMost); err != nil {
			p.Error = err.Error()
		}
		return p
	}
	p := trace.Process{PID: s.process.PID()}
	if err := s.process.Kill(); err != nil {
		p.Error = err.Error()
		return p
	}
	exit, err := s.process.Wait(ctx)
	p.Exit = exit.String()
	if err != nil && !errors.Is(err, process.ErrEnded) {
		p.Error = err.Error()
	}
	return p
}

// Start starts the service and waits until it is ready or the time is over.
func (s *service) Start(ctx context.Context, within time.Duration) trace.Process {
	var p trace.Process
	err := s.start(ctx, within, &p)
	p.Ready = err == nil
	if err != nil {
		p.Error = err.Error()
	}
	return p
}

func (s *service) start(ctx context.Context, within time.Duration, p *trace.Process) error {
	if s.hooks != nil {
		p.Hook = true
		if err := process.RunHook(ctx, "start", s.world.live.command(s.hooks.Start), 0, within); err != nil {
			return err
		}
		if s.ready.Path == "" {
			return nil
		}
		return s.ready.Await(ctx, within, nil)
	}
	pid, err := s.process.Start(ctx)
	if err != nil {
		return err
	}
	p.PID = pid
	return s.process.AwaitReady(ctx, within)
}
