package run

import (
	"context"
	"crypto/tls"
	"path/filepath"
	"slices"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/effect"
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
	away     []*outage
}

// newWorld reads credentials and makes ready what the jobs need. Nothing is
// started yet.
func newWorld(ctx context.Context, l *Live) (*world, error) {
	w := &world{live: l, targets: map[string]Target{}}
	c := l.options.Contract
	// First of all where requests go: credentials of production are held to it.
	bases, err := endpoints(c, c.Target.BaseURLs, nil)
	if err != nil {
		return nil, err
	}
	l.bases = bases
	if err := l.unsetCredentials(); err != nil {
		return nil, err
	}
	auth, err := l.credential(ctx, c.Target.Auth, "auth")
	if err != nil {
		return nil, err
	}
	for i := range l.bases {
		l.bases[i] = l.bases[i].As(auth.certificate)
	}
	w.auth = auth
	other, err := l.credential(ctx, c.Target.OtherAuth, "other_auth")
	if err != nil {
		return nil, err
	}
	if err := l.shown(auth, other); err != nil {
		return nil, err
	}
	for _, who := range []Credential{auth, other} {
		if err := l.trySigning(ctx, who); err != nil {
			return nil, err
		}
	}
	for _, job := range l.jobs {
		t := Target{Bases: l.bases, Auth: auth, Other: other}
		if err := w.outfit(job, &t, auth.certificate); err != nil {
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
	if op.StoreDown != nil {
		t.Store = (&outage{w, op.StoreDown}).call
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
		out = append(out, e.Speaking(speaks[c.Target.HTTP]))
	}
	return out, nil
}

// speaks is how the versions that a contract names are spoken. Counters and the
// question whether a service is ready go to the same endpoints, so that one
// which speaks HTTP/2 alone is counted too.
var speaks = map[string]wire.Protocol{
	contract.AutoHTTP: wire.Negotiated, contract.HTTP1: wire.HTTP1, contract.HTTP2: wire.HTTP2,
}

// certificate reads the certificate of a principal that signs by one.
func (l *Live) certificate(a *contract.Auth) (*tls.Config, error) {
	config, err := wire.ClientCertificate(l.beside(a.Cert), l.beside(a.CertKey))
	if err != nil {
		return nil, problem.New(l.options.Contract.Where(a.Pos), "%s", err).Because(err)
	}
	return config, nil
}

// shown refuses certificates that nobody would see: over plain http both
// principals would be nobody.
func (l *Live) shown(principals ...Credential) error {
	c := l.options.Contract
	for _, p := range principals {
		for i := range l.bases {
			if p.certificate != nil && !l.bases[i].Secure() {
				return problem.New(c.Where(c.Target.Pos), "a client certificate is shown over https alone, and a base URL is http").
					WithHint("base_urls: [https://...]")
			}
		}
	}
	return nil
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
		var p trace.Process
		if err := s.start(ctx, startMost, &p); err != nil && ctx.Err() == nil {
			return problem.New(s.where, "the service cannot be started: %s", w.live.mask.Text(err.Error())).Because(err)
		}
	}
	return w.openCounters()
}

// close ends all that was started, and remembers what would not end.
func (w *world) close() {
	w.bringBack()
	if w.counters != nil {
		w.counters.Close()
	}
	for _, s := range w.services {
		if s.process == nil {
			continue
		}
		s.process.Stop(stopGrace)
		if s.process.Started() && s.ready.Taken(context.Background()) {
			w.left = append(w.left, "something still answers at "+s.ready.String()+
				": the service has left a process that is not of its group")
		}
	}
}
