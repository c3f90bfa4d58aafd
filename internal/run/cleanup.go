package run

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/effect"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/process"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// Made is one operation that the run may have made: some request of it left.
type Made struct {
	Operation *contract.Operation
	Key       string
	Fresh     map[string]string // JSON Pointer to the value's text
	Answer    []byte            // the last answer that accepted it, masked and capped; nil where none came

	part  *part
	trial string
	text  string // for people and traces
}

// ledger keeps what a run may have made, in the order of first requests.
type ledger struct {
	mu    sync.Mutex
	made  []*Made
	known map[string]*Made
	spare func(operation, request string) bool // what must outlive the run; nil: nothing

	failures cleanupFailures
}

// note takes in one copy that was written, in whole or in part. Requests that
// share key and fresh values are one operation; without a key each is its own.
// Body is the answer's, its content coding taken off.
func (l *ledger) note(x *actor, q *probe.Request, res wire.Result, body []byte) {
	if l == nil || l.spare != nil && l.spare(x.p.job.Operation.Name, q.ID) {
		return
	}
	accepted := res.Outcome == trace.Answered && res.Status >= 200 && res.Status < 300
	var answer []byte
	if accepted {
		body = x.r.Mask.Bytes(body)
		answer = append(answer, body[:min(len(body), trace.HeadCap)]...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.entry(x.p, x.trial, q); accepted {
		m.Answer = answer
	}
}

// adopt takes in an operation that an earlier run made.
func (l *ledger) adopt(p *part, q *probe.Request) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entry(p, "", q)
}

// entry finds or makes what is kept of a request's operation.
func (l *ledger) entry(p *part, trial string, q *probe.Request) *Made {
	subject := freshText(q.Fresh)
	id := strings.Join([]string{p.job.Operation.Name, q.Key, subject}, "\x00")
	if q.Key == "" {
		id += "\x00" + q.ID
	}
	m := l.known[id]
	if m == nil {
		m = &Made{Operation: p.job.Operation, Key: q.Key, Fresh: q.Fresh, part: p, trial: trial, text: subject}
		l.known[id] = m
		l.made = append(l.made, m)
	}
	return m
}

func freshText(fresh map[string]string) string {
	var parts []string
	for at, value := range fresh {
		parts = append(parts, strings.TrimPrefix(at, "/")+"="+value)
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

// Bounds of cleaning up: one call's, all calls', and all calls' of a run that
// was interrupted, whose user is waiting.
const (
	cleanupMost      = 60 * time.Second
	cleanupAll       = 10 * time.Minute
	cleanupHurried   = time.Minute
	cleanupsAtOnce   = 4
	cleanupNotCalled = "not called: the time for cleaning up was over"
	cleanupCutShort  = "not called: cleaning up was interrupted"
)

// cleanUp calls the contract's cleanup once for each operation that may have
// been made, also where the run was interrupted. What fails is recorded: it
// changes no verdict.
func (r *Runner) cleanUp(ctx context.Context) {
	if r.Cleanup == nil {
		return
	}
	most := cleanupAll
	if ctx.Err() != nil {
		most = cleanupHurried
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer done()
	hurried := r.hurriedBy(ctx, done)
	places := make(chan struct{}, cleanupsAtOnce)
	var all sync.WaitGroup
	for _, m := range r.ledger.made {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			called := trace.Process{Hook: true}
			switch {
			case hurried():
				called.Error = cleanupCutShort
			case ctx.Err() != nil:
				called.Error = cleanupNotCalled
			default:
				if err := r.Cleanup(ctx, m); err != nil {
					called.Error = r.Mask.Text(err.Error())
				}
			}
			m.part.record(r, &trace.Event{Kind: trace.KindCleanup, Trial: m.trial, Process: &called, Text: r.Mask.Text(m.text)})
			r.ledger.mu.Lock()
			defer r.ledger.mu.Unlock()
			if called.Error != "" {
				r.ledger.failed(called.Error, len(r.ledger.made))
			}
		})
	}
	all.Wait()
}

// hurriedBy ends cleaning up where the run's user has no time for it, and gives
// what says so.
func (r *Runner) hurriedBy(ctx context.Context, end func()) func() bool {
	if r.Hurry == nil {
		return func() bool { return false }
	}
	go func() {
		select {
		case <-r.Hurry:
			end()
		case <-ctx.Done():
		}
	}()
	return func() bool {
		select {
		case <-r.Hurry:
			return true
		default:
			return false
		}
	}
}

// cleanupFailures is what went wrong in cleaning up.
type cleanupFailures struct {
	failed, of int
	first      string
}

func (l *ledger) failed(why string, of int) {
	l.failures.of = of
	if l.failures.failed++; l.failures.failed == 1 {
		l.failures.first = why
	}
}

// Left says what is still there, "" where everything was cleaned up.
func (r *Runner) Left() string {
	if r.ledger == nil || r.ledger.failures.failed == 0 {
		return ""
	}
	f := r.ledger.failures
	return fmt.Sprintf("cleanup failed for %d of %d operations, first: %s", f.failed, f.of, f.first)
}

// cleanup gives what calls limits.cleanup for one operation: fresh values stand
// in its arguments and, as in a counter's command, in IDEM_FRESH_ variables;
// the answer that accepted it is its standard input. It inherits no secret.
func (w *world) cleanup(argv []string) func(context.Context, *Made) error {
	if len(argv) == 0 {
		return nil
	}
	return func(ctx context.Context, m *Made) error {
		c := w.live.command(make([]string, len(argv)))
		for i, arg := range argv {
			c.Argv[i] = contract.FillFresh(arg, func(at string) string { return m.Fresh[at] })
		}
		c.Env = append(effect.Variables(m.Fresh), [2]string{"IDEM_OPERATION", m.Operation.Name},
			[2]string{"IDEM_KEY", m.Key}, [2]string{"IDEM_RUN_ID", w.live.options.RunID})
		if c.Input = m.Answer; c.Input == nil {
			c.Input = []byte{}
		}
		out, err := process.Run(ctx, c, cleanupMost)
		switch {
		case err != nil:
			return fmt.Errorf("the cleanup command: %w", err)
		case out.Exit != (process.Exit{}):
			return fmt.Errorf("the cleanup command ended with %s%s", out.Exit, out.LastWords())
		}
		return nil
	}
}
