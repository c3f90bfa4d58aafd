package probe_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// service is what a simulated run talks to. Its calls are made by processes of
// the world and may sleep.
type service interface {
	// serve answers a request; the head is there, the body comes with c.body.
	serve(c *conn)
	count(s probe.Subject) (int64, error)
	kill() trace.Process
	start(within time.Duration) trace.Process
	advance(by time.Duration) trace.Process
	up() bool
}

// sim is one simulated run: it carries plans out as a live run does, on
// virtual time, and keeps the events that a live run would record.
type sim struct {
	*world
	t        testing.TB
	service  service
	op       *contract.Operation
	timeout  time.Duration
	parts    []*simPart
	places   places
	events   []trace.Event
	ended    bool
	disturb  func(x *conn) trace.Outcome // reset: the request is lost; cut: its answer is; nil: nothing is
	connects int
	lost     int                                       // answers that disturb has lost
	http2    bool                                      // copies share a connection
	gap      func(copy int, shared bool) time.Duration // how much later a copy of several arrives; nil: as it is written
	refuses  func(c *conn, on leg) bool                // the stream is refused; nil: none is
	stall    func(where stalling) time.Duration        // how long a process stands still there; nil: never
	disk     int64                                     // until when nobody can write
	kills    int                                       // of the service
	flying   []*conn                                   // what was sent since the last
}

type simPart struct {
	plan    *probe.Plan
	asked   map[string]*probe.Request
	history *probe.History
	open    int
}

// header is the first event of a trace of this contract.
func header(c *contract.Contract, env probe.Env) *trace.Run {
	return &trace.Run{Schema: trace.Schema, Tool: "idem 0.0.0", ID: env.RunID, Seed: env.Seed, Began: "2026-11-30T12:00:00Z",
		File: c.File, SHA256: c.SHA256, Contract: string(c.Source), Profile: c.ProfileText(), Steps: probe.StepNames(), Races: &env.Races}
}

// carryOut runs the plans against the service and gives the trace.
func (s *sim) carryOut(run *trace.Run, plans []*probe.Plan) []trace.Event {
	s.places.free = 6
	simulate(s.world, func() {
		s.record(&trace.Event{Kind: trace.KindRun, Run: run})
		for _, plan := range plans {
			s.prepare(plan)
		}
		control := func(p *simPart) bool { return p.plan.Step == probe.ControlStep }
		s.phase(func(p *simPart, t probe.Thread) bool { return control(p) && !t.Exclusive })
		s.phase(func(p *simPart, t probe.Thread) bool { return !control(p) && !t.Exclusive })
		s.phase(func(_ *simPart, t probe.Thread) bool { return t.Exclusive && !t.Late })
		s.phase(func(_ *simPart, t probe.Thread) bool { return t.Exclusive && t.Late })
		for _, p := range s.parts {
			(&simActor{s: s, p: p}).all(p.plan.Last)
		}
		s.record(&trace.Event{Kind: trace.KindEnd, Text: "complete"})
		s.ended = true
	})
	if !s.ended {
		s.t.Fatal("the simulated run hangs")
	}
	return s.events
}

func (s *sim) prepare(plan *probe.Plan) {
	p := &simPart{plan: plan, asked: map[string]*probe.Request{}, history: probe.NewHistory(plan.Step), open: len(plan.Threads)}
	var unmasked *trace.Masker
	for _, q := range plan.Requests {
		p.asked[q.ID] = q
		s.note(p, &trace.Event{Kind: trace.KindRequest, Request: &trace.Request{ID: q.ID, Method: q.Method, Target: q.Target,
			Header: q.Header, Body: unmasked.Body(q.Body, int64(len(q.Body))), Key: q.Key, Change: q.Change}})
	}
	if plan.Idle.Text != "" {
		s.note(p, &trace.Event{Kind: trace.KindStep, Idle: &trace.Idle{Text: plan.Idle.Text, Line: plan.Idle.Line,
			Settle: plan.Idle.Settle, Excused: plan.Excused}})
	}
	s.parts = append(s.parts, p)
}

func (s *sim) phase(choose func(*simPart, probe.Thread) bool) {
	var threads []func()
	for _, p := range s.parts {
		for _, t := range p.plan.Threads {
			if !choose(p, t) {
				continue
			}
			f := func() {
				(&simActor{s: s, p: p, trial: t.Trial}).all(t.Actions)
				if p.open--; p.open == 0 {
					s.note(p, &trace.Event{Kind: trace.KindStep})
				}
			}
			if t.Exclusive {
				f()
			} else {
				threads = append(threads, f)
			}
		}
	}
	s.together(threads)
}

// note records an event of a plan and lets its conditions see it.
func (s *sim) note(p *simPart, e *trace.Event) {
	e.Operation, e.Step = p.plan.Operation, p.plan.Step
	if e.At == 0 {
		e.At = s.now
	}
	p.history.Observe(*e)
	s.record(e)
}

func (s *sim) record(e *trace.Event) {
	if e.At == 0 {
		e.At = s.now
	}
	e.Seq = int64(len(s.events) + 1)
	s.events = append(s.events, *e)
}

// simActor carries out the actions of one trial.
type simActor struct {
	s       *sim
	p       *simPart
	trial   string
	attempt int
}

func (x *simActor) all(actions []probe.Action) {
	for _, a := range actions {
		x.one(a)
	}
}

func (x *simActor) one(a probe.Action) {
	x.s.standStill(beforeAction)
	switch a := a.(type) {
	case probe.Send:
		if a.Long || a.HangUp.When != probe.Stay {
			x.apart(a)
			return
		}
		x.release(salvo{label: a.Label, ids: slices.Repeat([]string{a.Request}, max(a.Copies, 1)), targets: []string{a.Target},
			hold: a.Hold, other: a.Other, apart: a.Apart})
	case probe.Burst:
		targets := a.Targets
		if len(targets) == 0 {
			targets = []string{a.Target}
		}
		x.release(salvo{label: a.Label, ids: a.Requests, targets: targets, trials: a.Trials, hold: a.Hold, apart: a.Apart})
	case probe.Count:
		x.count(a)
	case probe.Settle:
		x.s.sleep(a.For)
	case probe.Pause:
		x.s.sleep(a.For)
	case probe.Wait:
		x.wait(a)
	case probe.Repeat:
		x.repeat(a)
	case probe.If:
		if x.holds(a.When) {
			x.all(a.Body)
		}
	case probe.Try:
		(&simActor{s: x.s, p: x.p, trial: a.Trial}).all(a.Body)
	case probe.Fan:
		var branches []func()
		for _, body := range a.Branches {
			inner := *x
			branches = append(branches, func() { inner.all(body) })
		}
		x.s.together(branches)
	case probe.Volley:
		x.volley(a)
	case probe.Start:
		ready := x.s.service.start(a.Within)
		x.emit("start", 0, &trace.Event{Kind: trace.KindReady, Process: &ready})
	case probe.Advance:
		x.advance(a)
	case probe.Store:
		x.store(a)
	default:
		x.s.t.Fatalf("the plan has an action that nothing carries out: %T", a)
	}
}

func (x *simActor) emit(label string, copy int, e *trace.Event) {
	e.Trial, e.Label, e.Attempt, e.Copy = x.trial, label, x.attempt, copy
	x.s.note(x.p, e)
}

func (x *simActor) holds(c probe.Condition) bool { return c.Holds(x.s.op, x.p.history, x.trial) }

func (x *simActor) count(a probe.Count) {
	above := int64(0)
	if a.Above != "" {
		c, _ := x.p.history.Trial(x.trial).Counted(a.Above)
		above = c.N
	}
	deadline := x.s.now + int64(a.Longest(x.s.op.Effects.AppearsWithin))
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		x.s.enter(&x.s.places)
		c := &trace.Count{Subject: a.Subject.Text, By: string(x.s.op.Effects.Kind), Began: x.s.now}
		x.s.sleep(time.Millisecond)
		x.s.standStill(beforeCount)
		n, err := x.s.counted(a)
		x.s.leave(&x.s.places)
		if c.N = n; err != nil {
			c.N, c.Error = 0, err.Error()
		}
		if !a.Poll || c.N > above || x.s.now >= deadline {
			x.emit(a.Label, 0, &trace.Event{Kind: trace.KindCount, Count: c})
			return
		}
		x.s.sleep(pause)
	}
}

func (x *simActor) wait(a probe.Wait) {
	at, ok := x.p.history.When(x.trial, a)
	if !ok {
		x.emit("wait", 0, &trace.Event{Kind: trace.KindUndone, Text: "what it counts from was never sent: " + a.For})
		return
	}
	const lookEvery = 20 * time.Millisecond
	left := func() time.Duration { return time.Duration(at-x.s.now) + a.Plus }
	for a.While.Fact != "" && left() > lookEvery && x.holds(a.While) {
		x.s.sleep(lookEvery)
	}
	if a.While.Fact == "" || x.holds(a.While) {
		x.s.sleep(left())
	}
	x.emit(a.For, 0, &trace.Event{Kind: trace.KindWait})
}

func (x *simActor) repeat(a probe.Repeat) {
	began := x.s.now
	inner := &simActor{s: x.s, p: x.p, trial: x.trial}
	longer := time.Duration(0)
	for n := 0; n < max(a.Max, 1); n++ {
		inner.attempt = n
		passed := time.Duration(x.s.now - began)
		inner.all(a.Body)
		if !inner.holds(a.While) {
			return
		}
		if passed >= a.Within && a.Again(x.p.history, x.trial, n+1) {
			continue
		}
		if passed >= a.Within {
			more := a.Longer(x.s.op, x.p.history, x.trial, x.s.now, longer)
			if more == 0 {
				return
			}
			longer += more
			x.s.sleep(more)
			continue
		}
		left := a.Within - time.Duration(x.s.now-began)
		pause := max(a.Every, x.retryAfter(a.While.Labels[0]))
		x.s.sleep(min(pause, max(left, 0)+5*time.Millisecond))
	}
}

// retryAfter reads the Retry-After of the last answer under a label.
func (x *simActor) retryAfter(label string) time.Duration {
	last := x.p.history.Trial(x.trial).Last(label)
	if last == nil || last.Answer == nil {
		return 0
	}
	for _, v := range trace.Get(last.Answer.Header, "Retry-After") {
		if n, err := strconv.Atoi(v); err == nil {
			return time.Duration(n) * time.Second
		}
	}
	return 0
}

func (x *simActor) advance(a probe.Advance) {
	moved := x.s.service.advance(a.By)
	if moved.Error != "" {
		x.emit("advance", 0, &trace.Event{Kind: trace.KindUndone, Text: "the advance hook failed: " + moved.Error})
		return
	}
	x.emit("advance", 0, &trace.Event{Kind: trace.KindAdvance, Process: &moved})
}
