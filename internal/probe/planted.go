package probe

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Planted is what a plant file holds: a planting's trace, and what harvests
// have used of it since.
type Planted struct {
	Run     *trace.Run
	Epoch   time.Time // when its clock was 0, by the wall clock
	Records []*Record
	Whole   bool  // the planting was not interrupted
	Events  int64 // in the file
	Last    int64 // the latest time in the file, in nanoseconds on the planting's clock

	Remembered []trace.Remembered // what earlier harvests saw
	Cleaned    bool               // a harvest has called cleanup for the planted operations
	sent       bool
	refused    bool
}

// Record is one planted operation.
type Record struct {
	Operation    string
	Name         string // "replay-1"
	Purpose      Purpose
	Request      *trace.Request
	FirstSent    int64 // nanoseconds on the planting's clock
	LastAnswered int64
	Accepted     bool        // its first request was accepted as an operation
	Why          string      // what came instead, where not
	Uses         []trace.Use // by harvests, in order

	events []trace.Event // of its first request and the counts around it
}

// used says how often a record was used so.
func (r *Record) used(as string) int {
	n := 0
	for _, u := range r.Uses {
		if u.As == as {
			n++
		}
	}
	return n
}

// ReadPlanted reads a plant file.
func ReadPlanted(events iter.Seq2[trace.Event, error]) (*Planted, error) {
	var p *Planted
	var c *contract.Contract
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if p != nil {
			p.observe(e)
			continue
		}
		if p, c, err = openPlanted(e); err != nil {
			return nil, err
		}
	}
	if p == nil {
		return nil, problem.New("", "it is empty: nothing was planted")
	}
	p.accept(c)
	return p, nil
}

func openPlanted(e trace.Event) (*Planted, *contract.Contract, error) {
	if e.Kind != trace.KindRun || e.Run == nil {
		return nil, nil, problem.New("", "it does not begin with a run's header: it is no plant file")
	}
	if e.Run.Schema != trace.Schema {
		return nil, nil, problem.New("", "it is of schema %q, this tool reads %q", e.Run.Schema, trace.Schema)
	}
	if e.Run.Phase != trace.PhasePlant {
		return nil, nil, problem.New("", "it is the trace of another run, not what --plant writes").
			WithHint("idem report judges a trace")
	}
	epoch, err := time.Parse(time.RFC3339Nano, e.Run.Epoch)
	if err != nil {
		return nil, nil, problem.New("", "it does not say when it was planted")
	}
	c, err := recorded(e.Run)
	if err != nil {
		return nil, nil, err
	}
	return &Planted{Run: e.Run, Epoch: epoch, Events: 1}, c, nil
}

func (p *Planted) observe(e trace.Event) {
	p.Events = e.Seq
	p.Last = max(p.Last, e.At)
	switch {
	case e.Kind == trace.KindEnd:
		p.Whole = e.Text == "complete"
	case e.Kind == trace.KindHarvest && e.Harvest != nil:
		p.harvested(*e.Harvest)
	case e.Kind == trace.KindSent:
		p.sent = true
	case e.Kind == trace.KindAnswer && e.Answer.Outcome == trace.Refused:
		p.refused = true
	}
	if e.Step != PlantStep {
		return
	}
	switch e.Kind {
	case trace.KindRequest:
		name := strings.TrimPrefix(e.Request.ID, PlantStep+"/")
		r := p.Record(e.Operation, name)
		if r == nil {
			r = &Record{Operation: e.Operation, Name: name, Purpose: purposeOf(name)}
			p.Records = append(p.Records, r)
		}
		r.Request = e.Request // once more with its companion filled in
	case trace.KindSent, trace.KindAnswer, trace.KindCount:
		if r := p.Record(e.Operation, e.Trial); r != nil {
			r.events = append(r.events, e)
		}
	}
}

func (p *Planted) harvested(h trace.Harvest) {
	for _, u := range h.Uses {
		if r := p.Record(u.Operation, u.Record); r != nil {
			r.Uses = append(r.Uses, u)
		}
	}
	p.Remembered = append(p.Remembered, h.Remembered...)
	p.Cleaned = p.Cleaned || h.Cleaned
}

// Record gives the planted operation of that name, nil where there is none.
func (p *Planted) Record(operation, name string) *Record {
	i := slices.IndexFunc(p.Records, func(r *Record) bool { return r.Operation == operation && r.Name == name })
	if i < 0 {
		return nil
	}
	return p.Records[i]
}

// accept finds out which records stand: those whose request was accepted.
func (p *Planted) accept(c *contract.Contract) {
	for _, r := range p.Records {
		i := slices.IndexFunc(c.Operations, func(o *contract.Operation) bool { return o.Name == r.Operation })
		if i < 0 {
			continue
		}
		rule := rules{c.Operations[i]}
		h := NewHistory(PlantStep)
		h.Observe(trace.Event{Kind: trace.KindRequest, Request: r.Request})
		for _, e := range r.events {
			h.Observe(e)
		}
		t := h.Trial(r.Name)
		first := t.Last("first")
		r.FirstSent, _ = t.When("first", FirstSent)
		r.LastAnswered, _ = t.When("first", LastAnswered)
		r.Accepted = rule.class(first).welcome
		if !r.Accepted {
			r.Why = rule.tell(first)
		}
	}
}

// Unsent says that nothing could be sent at all.
func (p *Planted) Unsent() bool { return !p.sent && p.refused }

// Standing counts the records of an operation that can be harvested, by purpose.
func (p *Planted) Standing(operation string) map[Purpose]int {
	n := map[Purpose]int{}
	for _, r := range p.Records {
		if r.Operation == operation && r.Accepted {
			n[r.Purpose]++
		}
	}
	return n
}

// Windows are the times at which a harvest can tell something of an operation.
type Windows struct {
	Until     time.Time // until then duplicates and conflicts are judged
	LastFrom  time.Time // from then on also whether keys are remembered to the end
	Forgotten time.Time // from then on whether they are forgotten; zero: not promised
}

// WindowsOf gives them, by the wall clock and with its inexactness taken off;
// ok is false where nothing of the operation stands.
func (p *Planted) WindowsOf(op *contract.Operation) (w Windows, ok bool) {
	atLeast, atMost, known := op.EffectiveRetention()
	if !known {
		return w, false
	}
	for _, r := range p.Records {
		if r.Operation != op.Name || !r.Accepted {
			continue
		}
		sent := p.Epoch.Add(time.Duration(r.FirstSent))
		if until := sent.Add(atLeast - inexact(atLeast)); !ok || until.Before(w.Until) {
			w.Until = until
		}
		if from := sent.Add(lastQuarter(atLeast) + inexact(atLeast)); from.After(w.LastFrom) {
			w.LastFrom = from
		}
		if after := p.Epoch.Add(time.Duration(r.LastAnswered)).Add(atMost + inexact(atMost)); atMost > 0 && after.After(w.Forgotten) {
			w.Forgotten = after
		}
		ok = true
	}
	return w, ok
}

// lastQuarter is from when on "still remembered" shows that keys are kept for
// as long as is promised.
func lastQuarter(atLeast time.Duration) time.Duration { return atLeast / 4 * 3 }
