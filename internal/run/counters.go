package run

import (
	"context"
	"net/url"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/effect"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/wire"
)

// openCounters opens every operation's counter. An http counter asks the
// instance that the requests go to: for expiry that may be one of its own.
func (w *world) openCounters() error {
	l := w.live
	w.counters = w.counterSet(l.bases[0])
	for _, job := range l.jobs {
		op, t := job.Operation, w.targets[job.Operation.Name]
		l.hideSource(op.Effects)
		c, err := w.openCounter(w.counters, op.Effects)
		if err != nil {
			return err
		}
		t.Counter, t.ExpiryCounter = c, c
		if len(t.Expiry) > 0 && op.Effects != nil && op.Effects.Kind == contract.ByHTTP {
			if t.ExpiryCounter, err = w.openCounter(w.counterSet(t.Expiry[0]), op.Effects); err != nil {
				return err
			}
		}
		if op.Sibling != nil {
			l.hideSource(op.Sibling.Effects)
			if t.SiblingCounter, err = w.openCounter(w.counters, op.Sibling.Effects); err != nil {
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
		Auth: func(ctx context.Context, to wire.Endpoint, m wire.Message) ([][2]string, error) {
			return w.auth.added(ctx, to, m, "")
		}})
}

func (w *world) openCounter(set *effect.Set, e *contract.Effects) (Counter, error) {
	c, err := set.Open(e)
	if err != nil {
		l := w.live
		return nil, problem.New(l.options.Contract.Where(e.Pos), "%s", l.mask.Text(err.Error())).Because(err)
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
