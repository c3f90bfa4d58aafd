package run

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// actor carries out the actions of one trial.
type actor struct {
	r       *Runner
	p       *part
	trial   string
	attempt int // of the repeat that it is in
}

func (x *actor) all(ctx context.Context, actions []probe.Action) {
	for _, a := range actions {
		if ctx.Err() != nil {
			return
		}
		x.one(ctx, a)
	}
}

func (x *actor) one(ctx context.Context, a probe.Action) {
	switch a := a.(type) {
	case probe.Send:
		x.send(ctx, a)
	case probe.Burst:
		x.burst(ctx, a)
	case probe.Count:
		x.count(ctx, a)
	case probe.Settle:
		sleep(ctx, a.For)
	case probe.Pause:
		sleep(ctx, a.For)
	case probe.Wait:
		x.wait(ctx, a)
	case probe.Repeat:
		x.repeat(ctx, a)
	case probe.If:
		if x.holds(a.When) {
			x.all(ctx, a.Body)
		}
	case probe.Try:
		inner := &actor{r: x.r, p: x.p, trial: a.Trial}
		inner.all(ctx, a.Body)
	case probe.Fan:
		x.fan(ctx, a)
	case probe.Volley:
		x.keepsAway()
		x.volley(ctx, a)
	case probe.Start:
		x.start(ctx, a)
	case probe.Advance:
		x.advance(ctx, a)
	case probe.Store:
		x.keepsAway()
		x.store(ctx, a)
	default:
		x.undone(a.Name(), "the runner does not know this action")
	}
}

// emit records an event of the trial.
func (x *actor) emit(label string, copy int, e *trace.Event) {
	e.Trial, e.Label, e.Attempt, e.Copy = x.trial, label, x.attempt, copy
	x.p.record(x.r, e)
}

func (x *actor) undone(label, why string) {
	x.emit(label, 0, &trace.Event{Kind: trace.KindUndone, Text: x.r.Mask.Text(why)})
}

func (x *actor) holds(c probe.Condition) bool {
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	return c.Holds(x.p.job.Operation, x.p.history, x.trial)
}

// shared takes a place among the actions that go on at the same time.
func (x *actor) shared(ctx context.Context) (release func(), ok bool) {
	select {
	case x.r.slots <- struct{}{}:
		return func() { <-x.r.slots }, true
	case <-ctx.Done():
		return nil, false
	}
}

func (x *actor) count(ctx context.Context, a probe.Count) {
	op := x.p.job.Operation
	counter, effects := x.p.job.Target.Counter, op.Effects
	if a.Target == "expiry" {
		counter = x.p.job.Target.ExpiryCounter
	}
	if a.Sibling && op.Sibling != nil {
		counter, effects = x.p.job.Target.SiblingCounter, op.Sibling.Effects
	}
	if counter == nil || effects == nil {
		x.undone(a.Label, "no counter of effects is there")
		return
	}
	above := int64(0)
	if a.Above != "" {
		x.p.mu.Lock()
		c, _ := x.p.history.Trial(x.trial).Counted(a.Above)
		x.p.mu.Unlock()
		above = c.N
	}
	deadline := time.Now().Add(a.Longest(effects.AppearsWithin))
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		c, seen := x.reading(ctx, counter, a.Subject)
		done := !a.Poll || c.N > above || !time.Now().Before(deadline) || ctx.Err() != nil || c.Error != "" && x.r.hung.tired()
		if done {
			c.By = string(effects.Kind)
			if c.Error != "" || a.Poll && c.N <= above {
				c.Seen = seen
			}
			x.emit(a.Label, 0, &trace.Event{Kind: trace.KindCount, Count: c})
			return
		}
		sleep(ctx, pause)
	}
}

// Bounds of asking a counter again that failed: to read it changes nothing.
const (
	mostReadings  = 3
	betweenFailed = 50 * time.Millisecond
)

// reading reads the counter, again where it failed, and tells what it asked and
// saw where it can.
func (x *actor) reading(ctx context.Context, counter Counter, s probe.Subject) (c *trace.Count, seen string) {
	for n := 1; ; n++ {
		c, seen = x.readOnce(ctx, counter, s)
		if c.Error == "" || n == mostReadings || ctx.Err() != nil || x.r.hung.tired() {
			return c, seen
		}
		sleep(ctx, betweenFailed)
	}
}

func (x *actor) readOnce(ctx context.Context, counter Counter, s probe.Subject) (c *trace.Count, seen string) {
	release, ok := x.shared(ctx)
	if !ok {
		return &trace.Count{Subject: x.r.Mask.Text(s.Text), Error: "interrupted", Began: x.r.Clock()}, ""
	}
	defer release()
	c = &trace.Count{Subject: x.r.Mask.Text(s.Text), Began: x.r.Clock()}
	if c.Error = x.r.hung.closed(time.Now()); c.Error != "" {
		return c, ""
	}
	var err error
	began := time.Now()
	if w, ok := counter.(Witness); ok {
		c.N, seen, err = w.Look(ctx, s)
		seen = shortened(x.r.Mask.Text(seen))
	} else {
		c.N, err = counter.Count(ctx, s)
	}
	x.r.hung.note(time.Now(), err != nil && time.Since(began) >= hungAfter)
	if err != nil {
		c.N, c.Error = 0, x.r.Mask.Text(err.Error())
	}
	return c, seen
}

// mostSeen bounds, in bytes, what is recorded of what a counter saw.
const mostSeen = 400

// shortened gives the beginning of a text, on one line.
func shortened(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= mostSeen {
		return text
	}
	n := mostSeen - len("...")
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}

// lookEvery is how often a wait looks whether what it waits for still holds.
const lookEvery = 20 * time.Millisecond

func (x *actor) wait(ctx context.Context, a probe.Wait) {
	x.p.mu.Lock()
	at, ok := x.p.history.When(x.trial, a)
	x.p.mu.Unlock()
	if !ok {
		x.undone("wait", "what it counts from was never sent: "+a.For)
		return
	}
	if x.leftAlone() {
		x.undone("wait", "the target has stopped answering")
		return
	}
	left := func() time.Duration { return time.Duration(at-x.r.Clock()) + a.Plus }
	for a.While.Fact != "" && left() > lookEvery && ctx.Err() == nil && x.holds(a.While) {
		sleep(ctx, lookEvery)
	}
	if a.While.Fact == "" || x.holds(a.While) {
		sleep(ctx, left())
	}
	x.emit(a.For, 0, &trace.Event{Kind: trace.KindWait})
}

// repeat does its body until the condition no longer holds. One pass always
// comes at or after the end of its time, so that "still blocked" is seen where
// it counts; Retry-After is honoured (RFC 9110, 10.2.3).
func (x *actor) repeat(ctx context.Context, a probe.Repeat) {
	began := time.Now()
	inner := &actor{r: x.r, p: x.p, trial: x.trial}
	longer := time.Duration(0)
	for n := 0; n < max(a.Max, 1); n++ {
		inner.attempt = n
		passed := time.Since(began)
		inner.all(ctx, a.Body)
		if ctx.Err() != nil || !inner.holds(a.While) || x.leftAlone() {
			return
		}
		if passed >= a.Within && inner.again(a, n+1) {
			continue
		}
		if passed >= a.Within {
			more := x.longer(a, longer)
			if more == 0 {
				return
			}
			longer += more
			sleep(ctx, more)
			continue
		}
		pause := max(a.Every, x.retryAfter(a.While.Labels))
		left := a.Within - time.Since(began)
		sleep(ctx, min(pause, max(left, 0)+5*time.Millisecond))
	}
}

// again asks whether a repeat goes on though its time has passed.
func (x *actor) again(a probe.Repeat, done int) bool {
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	return a.Again(x.p.history, x.trial, done)
}

// longer asks how long a repeat goes on beyond its time.
func (x *actor) longer(a probe.Repeat, waited time.Duration) time.Duration {
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	return a.Longer(x.p.job.Operation, x.p.history, x.trial, x.r.Clock(), waited)
}

func (x *actor) fan(ctx context.Context, a probe.Fan) {
	var all sync.WaitGroup
	for _, branch := range a.Branches {
		all.Add(1)
		go func() {
			defer all.Done()
			inner := &actor{r: x.r, p: x.p, trial: x.trial, attempt: x.attempt}
			inner.all(ctx, branch)
		}()
	}
	all.Wait()
}

// answerTime is how long an answer takes, as the control saw it.
func (x *actor) answerTime() time.Duration {
	x.p.controls.mu.Lock()
	defer x.p.controls.mu.Unlock()
	return x.p.controls.history.AnswerTime()
}

// Bounds of the space between two requests of a volley.
const (
	leastSpace = 200 * time.Microsecond
	mostSpace  = 250 * time.Millisecond
)

// volley writes its requests at even spaces over the answer time that the
// control saw, and kills the service as soon as the last is written.
func (x *actor) volley(ctx context.Context, a probe.Volley) {
	service := x.p.job.Target.Service
	if service == nil {
		x.undone(a.Label, "no service is there that may be killed")
		return
	}
	if _, why := x.goes(a.Requests...); why != "" {
		x.undone(a.Label, why)
		return
	}
	if len(a.Requests) == 0 {
		x.kill(ctx, service)
		return
	}
	space := time.Duration(a.Reach * float64(x.answerTime()) / float64(len(a.Requests)))
	space = min(max(space, leastSpace), mostSpace)

	written := make(chan struct{})
	copies, err := x.copies(ctx, a.Requests, []string{a.Target}, false)
	if err != nil {
		x.undone(a.Label, err.Error())
		return
	}
	for i := range copies {
		copies[i].After = time.Duration(i) * space
	}
	x.r.pace.await(ctx, len(copies))
	if ctx.Err() != nil {
		return
	}
	copies[len(copies)-1].Written = func() { close(written) }
	results := make(chan []wire.Result, 1)
	go func() { results <- x.r.Client.Release(ctx, copies, wire.HoldNothing) }()
	select {
	case <-written:
	case <-ctx.Done():
	}
	sleep(ctx, time.Duration(a.Offset*float64(space)))
	x.kill(ctx, service)
	for i, res := range <-results {
		x.recordResult(a.Label, i, came{id: a.Requests[i], target: a.Target}, res)
	}
}

func (x *actor) kill(ctx context.Context, service Service) {
	at := x.r.Clock()
	killed := service.Kill(ctx)
	killed.Error = x.r.Mask.Text(killed.Error)
	x.emit("kill", 0, &trace.Event{Kind: trace.KindKill, At: at, Process: &killed})
}

func (x *actor) start(ctx context.Context, a probe.Start) {
	service := x.p.job.Target.Service
	if service == nil {
		x.undone("start", "no service is there that may be started")
		return
	}
	ready := service.Start(ctx, a.Within)
	ready.Error = x.r.Mask.Text(ready.Error)
	x.emit("start", 0, &trace.Event{Kind: trace.KindReady, Process: &ready})
}

func (x *actor) advance(ctx context.Context, a probe.Advance) {
	if x.p.job.Target.Advance == nil {
		x.undone("advance", "no advance hook is there")
		return
	}
	moved := x.p.job.Target.Advance(ctx, a.By)
	if moved.Error != "" {
		x.undone("advance", fmt.Sprintf("the advance hook failed: %s", moved.Error))
		return
	}
	x.emit("advance", 0, &trace.Event{Kind: trace.KindAdvance, Process: &moved})
}
