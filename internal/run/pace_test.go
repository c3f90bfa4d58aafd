package run

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// killed is a service whose kill is only noted.
type killed struct{}

func (killed) Kill(context.Context) trace.Process                 { return trace.Process{PID: 1, Exit: "killed"} }
func (killed) Start(context.Context, time.Duration) trace.Process { return trace.Process{Ready: true} }

// TestRateHoldsOnEveryPath: sends, copies released together, bursts, controls
// and volleys before a kill all wait their turn. Those that belong together go
// together, and what comes next waits for as long as they would have taken.
func TestRateHoldsOnEveryPath(t *testing.T) {
	const rate, gap = 100, 10 * time.Millisecond
	var mu sync.Mutex
	var arrived []time.Time
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		arrived = append(arrived, time.Now())
		mu.Unlock()
		w.WriteHeader(201)
	}), nil, "duplicate")
	job := g.jobs[0]
	job.Target.Service = killed{}
	plan := job.Plans[1]
	var ids []string
	for i := range plan.Requests {
		ids = append(ids, plan.Requests[i].ID)
	}
	one := ids[0]
	actions := map[string]struct {
		action   probe.Action
		together int // copies that go at the same time
		sends    int
	}{
		"send":    {probe.Send{Label: "a", Request: one, Copies: 1}, 1, 1},
		"copies":  {probe.Send{Label: "b", Request: one, Copies: 4, Hold: probe.HoldBody}, 4, 4},
		"burst":   {probe.Burst{Label: "c", Requests: ids[:2]}, 2, 2},
		"hang-up": {probe.Send{Label: "d", Request: one, Copies: 1, HangUp: probe.HangUp{When: probe.InAnswer}}, 1, 1},
		"long":    {probe.Send{Label: "e", Request: one, Copies: 1, Long: true}, 1, 1},
		"volley":  {probe.Volley{Label: "f", Requests: ids[:2], Reach: 1}, 2, 2},
		"fan": {probe.Fan{Branches: [][]probe.Action{{probe.Send{Label: "g", Request: one, Copies: 1}},
			{probe.Send{Label: "h", Request: one, Copies: 1}}, {probe.Send{Label: "i", Request: one, Copies: 1}}}}, 1, 3},
	}
	for name, a := range actions {
		t.Run(name, func(t *testing.T) {
			mu.Lock()
			arrived = nil
			mu.Unlock()
			const times = 5
			var list []probe.Action
			for range times {
				list = append(list, a.action)
			}
			g.runner.Rate = rate
			g.jobs[0].Plans = []*probe.Plan{{Operation: plan.Operation, Step: probe.ControlStep}, {Operation: plan.Operation, Step: "duplicate", Requests: plan.Requests,
				Threads: []probe.Thread{{Trial: "t", Actions: list}}}}
			began := time.Now()
			if err := g.runner.Run(t.Context(), g.header, g.jobs); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(arrived) != times*a.sends {
				t.Fatalf("%d requests arrived, want %d", len(arrived), times*a.sends)
			}
			// The last group may come no sooner than all before it took by the rate.
			least := time.Duration(len(arrived)-a.together) * gap
			// Arrivals are noted late on a busy machine, so this is reckoned from the
			// beginning; without a rate all would have come a few milliseconds after it.
			if took := arrived[len(arrived)-1].Sub(began); took < least {
				t.Errorf("%d requests within %s: %d a second allow no less than %s", len(arrived), took, rate, least)
			}
		})
	}
}

// TestNothingIsSentAfterAnInterruption, whatever it was waiting for.
func TestNothingIsSentAfterAnInterruption(t *testing.T) {
	var mu sync.Mutex
	arrived := 0
	g := newRig(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		arrived++
	}), nil, "duplicate")
	job := g.jobs[0]
	job.Target.Service = killed{}
	ids := []string{job.Plans[1].Requests[0].ID}
	g.runner.Rate, g.runner.pace, g.runner.slots = 0.001, newPacer(0.001), make(chan struct{}, 9)
	g.runner.ledger = &ledger{known: map[string]*Made{}}
	g.runner.pace.await(t.Context(), 1) // the next one waits for a thousand seconds
	p := g.runner.prepare(g.jobs)[1]
	p.controls = p
	for _, a := range []probe.Action{
		probe.Send{Label: "a", Request: ids[0], Copies: 2}, probe.Burst{Label: "b", Requests: ids},
		probe.Send{Label: "c", Request: ids[0], Copies: 1, Long: true}, probe.Volley{Label: "d", Requests: ids, Reach: 1},
	} {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		(&actor{r: g.runner, p: p, trial: "t"}).one(ctx, a)
		stop()
	}
	if arrived > 0 {
		t.Errorf("%d requests were sent", arrived)
	}
}
