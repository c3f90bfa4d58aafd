// Package run carries plans out: it owns the clock, the order of threads and
// what has the target to itself. It records events and judges nothing. Read
// run.go for the phases of a run, actions.go for what each action does,
// send.go for how a request gets its credentials.
package run

import (
	"context"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// Counter counts effects from outside.
type Counter interface {
	Count(ctx context.Context, s probe.Subject) (int64, error)
}

// Witness is a counter that can tell what it asked and what came back, for
// people who look for the fault.
type Witness interface {
	Counter
	Look(ctx context.Context, s probe.Subject) (n int64, seen string, err error)
}

// Service is a service under test that can be killed and started again.
type Service interface {
	// Kill ends the service without warning and waits until it is gone.
	Kill(ctx context.Context) trace.Process
	// Start starts it and waits until it is ready or the time is over.
	Start(ctx context.Context, within time.Duration) trace.Process
}

// Target is where one operation's requests go.
type Target struct {
	Bases         []wire.Endpoint // the contract's base URLs
	Expiry        []wire.Endpoint // the expiry instance, where there is one
	Auth          Credential
	Other         Credential
	Counter       Counter // nil: none
	ExpiryCounter Counter // of the expiry instance; nil: none
	Service       Service // nil: none can be killed
	Advance       func(ctx context.Context, by time.Duration) trace.Process

	SiblingCounter Counter // of the sibling's effects; nil: none
	// Store takes the record store away, or brings it back; nil: nothing does.
	Store func(ctx context.Context, up bool) trace.Process
}

// Job is one operation with its plans, the control's first.
type Job struct {
	Operation *contract.Operation
	Target    Target
	Plans     []*probe.Plan
}

// Runner carries out one run.
type Runner struct {
	Client *wire.Client
	Clock  wire.Clock // nanoseconds since the run began
	Trace  *trace.Writer
	Mask   *trace.Masker
	Rate   float64            // operations a second; 0: unbounded
	Notice func(*trace.Event) // sees every event, for progress; nil: nobody looks

	// Cleanup is called once for each operation that may have been made, when
	// everything else is done; nil: nothing is cleaned up.
	Cleanup func(context.Context, *Made) error
	Hurry   <-chan struct{}                      // closed: cleaning up is cut short
	Spare   func(operation, request string) bool // requests whose operations are not cleaned up; nil: none

	companions companions
	vigil      vigil
	hung       hungReadings
	ledger     *ledger // nil: nothing is cleaned up

	slots   chan struct{}
	pace    *pacer
	failure error
	once    sync.Once
	stop    context.CancelFunc
}

// atOnce is how many shared actions go on at the same time: enough for waits
// to overlap, few enough not to overload a small target.
const atOnce = 6

// Run carries out the jobs and ends the trace. The error is of the trace's
// writing; what the target does is recorded, never an error.
func (r *Runner) Run(ctx context.Context, header *trace.Run, jobs []*Job) error {
	ctx, r.stop = context.WithCancel(ctx)
	defer r.stop()
	r.slots = make(chan struct{}, atOnce)
	r.pace = newPacer(r.Rate)
	if r.Cleanup != nil {
		r.ledger = &ledger{known: map[string]*Made{}, spare: r.Spare}
	}
	r.record(&trace.Event{Kind: trace.KindRun, Run: header})
	parts := r.prepare(jobs)
	r.phase(ctx, parts, func(p *part, t *probe.Thread) bool { return p.control() && !t.Exclusive })
	r.dropHopeless(ctx, parts)
	r.phase(ctx, parts, func(p *part, t *probe.Thread) bool { return !p.control() && !p.dropped && !t.Exclusive })
	r.phase(ctx, parts, func(p *part, t *probe.Thread) bool { return !p.dropped && t.Exclusive && !t.Late })
	r.phase(ctx, parts, func(p *part, t *probe.Thread) bool { return !p.dropped && t.Exclusive && t.Late })
	r.last(ctx, parts)
	r.cleanUp(ctx)
	state := "complete"
	if ctx.Err() != nil {
		state = "interrupted"
	}
	r.record(&trace.Event{Kind: trace.KindEnd, Text: state})
	return r.failure
}

// part is one plan under way.
type part struct {
	job      *Job
	plan     *probe.Plan
	asked    map[string]*probe.Request
	controls *part // the operation's control, for its answer times

	dropped bool // idle from the beginning, or since the control showed that it is no use

	mu      sync.Mutex
	history *probe.History
	open    int  // threads not finished
	cut     bool // some request was not sent, since the target has stopped answering
	away    bool // the part has taken away the service, or its store
}

func (p *part) control() bool { return p.plan.Step == probe.ControlStep }

// prepare records every plan's frozen requests, and why idle steps are idle.
func (r *Runner) prepare(jobs []*Job) []*part {
	var parts []*part
	for _, job := range jobs {
		var control *part
		for _, plan := range job.Plans {
			p := &part{job: job, plan: plan, asked: map[string]*probe.Request{},
				history: probe.NewHistory(plan.Step), open: len(plan.Threads)}
			if p.control() {
				control = p
			}
			p.controls = control
			for _, q := range plan.Requests {
				p.asked[q.ID] = q
				p.record(r, &trace.Event{Kind: trace.KindRequest, Request: r.recorded(q)})
			}
			for _, e := range plan.Planted {
				p.record(r, &e)
			}
			for _, q := range plan.Adopted {
				r.ledger.adopt(p, q)
			}
			if plan.Idle.Text != "" {
				p.drop(r, plan.Idle, plan.Excused)
			}
			parts = append(parts, p)
		}
	}
	return parts
}

// drop records why a step is not carried out.
func (p *part) drop(r *Runner, why probe.Reason, excused bool) {
	p.dropped = true
	p.record(r, &trace.Event{Kind: trace.KindStep, Idle: &trace.Idle{Text: r.Mask.Text(why.Text),
		Line: why.Line, Settle: why.Settle, Excused: excused}})
}

// dropHopeless leaves out the steps of operations whose control got no
// connection, or whose request the API does not accept: what follows would
// send much and show nothing.
func (r *Runner) dropHopeless(ctx context.Context, parts []*part) {
	if ctx.Err() != nil {
		return
	}
	for _, p := range parts {
		if p.control() || p.dropped || p.controls == nil {
			continue
		}
		why, turnedAway := probe.TurnedAway(p.job.Operation, p.controls.history)
		if said, unreached := p.controls.history.Unreached(); unreached {
			why = probe.Reason{Text: "no connection to " + p.job.Target.Bases[0].String() + ": " + said,
				Settle: probe.SettleUnreached(said, p.job.Target.Bases[0].Speaks() == wire.HTTP1)}
		} else if !turnedAway {
			continue
		}
		p.drop(r, why, false)
	}
}

// recorded is a request as the trace keeps it.
func (r *Runner) recorded(q *probe.Request) *trace.Request {
	return &trace.Request{ID: q.ID, Method: q.Method, Target: r.Mask.Text(q.Target), Header: r.Mask.Header(q.Header),
		Body: r.Mask.Body(q.Body, int64(len(q.Body))), Key: r.Mask.Text(q.Key), Change: q.Change}
}

// phase carries out the chosen threads: shared ones at the same time, exclusive
// ones one after another with nothing else under way (contract-v1, Steps: kills
// and clock advances run alone).
func (r *Runner) phase(ctx context.Context, parts []*part, choose func(*part, *probe.Thread) bool) {
	var all sync.WaitGroup
	for _, p := range parts {
		for i := range p.plan.Threads {
			t := &p.plan.Threads[i]
			if !choose(p, t) {
				continue
			}
			all.Add(1)
			go func() {
				defer all.Done()
				r.thread(ctx, p, t)
			}()
			if t.Exclusive {
				all.Wait()
			}
		}
	}
	all.Wait()
}

// lastMost bounds the final counts: a target that hangs is not waited for.
const lastMost = 10 * time.Second

// last reads the counters once more when nothing is under way.
func (r *Runner) last(ctx context.Context, parts []*part) {
	ctx, done := context.WithTimeout(ctx, lastMost)
	defer done()
	used := map[*part]bool{}
	for _, p := range parts {
		if !p.control() && !p.dropped {
			used[p], used[p.controls] = true, true
		}
	}
	var all sync.WaitGroup
	for _, p := range parts {
		if !used[p] {
			continue
		}
		for _, a := range p.plan.Last {
			all.Add(1)
			go func() {
				defer all.Done()
				(&actor{r: r, p: p}).one(ctx, a)
			}()
		}
	}
	all.Wait()
}

// thread carries out one thread; the last of a step ends the step.
func (r *Runner) thread(ctx context.Context, p *part, t *probe.Thread) {
	x := &actor{r: r, p: p, trial: t.Trial}
	x.all(ctx, t.Actions)
	p.mu.Lock()
	p.open--
	last := p.open == 0 && !p.cut
	p.mu.Unlock()
	if last && ctx.Err() == nil {
		p.record(r, &trace.Event{Kind: trace.KindStep})
	}
}

// record writes an event of a plan and lets its conditions see it.
func (p *part) record(r *Runner, e *trace.Event) {
	e.Operation, e.Step = p.job.Operation.Name, p.plan.Step
	if e.At == 0 {
		e.At = r.Clock()
	}
	p.mu.Lock()
	p.history.Observe(*e)
	p.mu.Unlock()
	r.record(e)
}

func (r *Runner) record(e *trace.Event) {
	if e.At == 0 {
		e.At = r.Clock()
	}
	if r.Notice != nil {
		r.Notice(e)
	}
	if err := r.Trace.Write(e); err != nil {
		// Nothing more may be sent that would not be recorded.
		r.once.Do(func() { r.failure = err; r.stop() })
	}
}

// pacer spaces operations out to a rate.
type pacer struct {
	mu   sync.Mutex
	gap  time.Duration
	next time.Time
}

func newPacer(rate float64) *pacer {
	if rate <= 0 {
		return nil
	}
	return &pacer{gap: time.Duration(float64(time.Second) / rate)}
}

// await waits until n more operations may go.
func (p *pacer) await(ctx context.Context, n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	at := p.next
	p.next = p.next.Add(time.Duration(n) * p.gap)
	p.mu.Unlock()
	sleep(ctx, time.Until(at))
}

// sleep waits, less where the run is interrupted.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
