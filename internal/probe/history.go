package probe

import "github.com/idem-toolkit/idem/internal/trace"

// Exchange is one copy of a request and what became of it.
type Exchange struct {
	Trial, Label  string
	Attempt, Copy int
	Request       *trace.Request
	Sent          *trace.Sent   // nil: nothing was written
	Answer        *trace.Answer // nil: nothing was recorded
}

// Counted is one reading of a counter.
type Counted struct {
	Trial, Label string
	Attempt      int
	At           int64 // nanoseconds since the run began
	trace.Count
}

// Moment is a kill, start or advance of a trial.
type Moment struct {
	Trial   string
	Kind    trace.Kind
	Attempt int
	At      int64
	Process trace.Process
}

// Trial is what was recorded of one experiment, in order.
type Trial struct {
	Name      string
	Exchanges []*Exchange
	Counts    []Counted
	Moments   []Moment
	Undone    []string // actions of the plan that were not carried out, and why

	byLabel map[string][]*Exchange
}

// History is what was recorded of one step of one operation.
type History struct {
	Step   string
	Trials []*Trial
	Whole  bool // the step's end was recorded

	requests map[string]*trace.Request
	byName   map[string]*Trial
	open     map[place]*Exchange
}

type place struct {
	trial, label  string
	attempt, copy int
	request       string
}

// known gives the trial of that name, nil where nothing was recorded of it.
func (h *History) known(name string) *Trial { return h.byName[name] }

// NewHistory makes an empty history of a step.
func NewHistory(step string) *History {
	return &History{
		Step:     step,
		requests: map[string]*trace.Request{},
		byName:   map[string]*Trial{},
		open:     map[place]*Exchange{},
	}
}

// Trial gives the trial of that name, empty where nothing was recorded of it.
func (h *History) Trial(name string) *Trial {
	t := h.byName[name]
	if t == nil {
		t = &Trial{Name: name, byLabel: map[string][]*Exchange{}}
		h.byName[name] = t
		h.Trials = append(h.Trials, t)
	}
	return t
}

// Observe takes in one event of the step, in the trace's order.
func (h *History) Observe(e trace.Event) {
	switch e.Kind {
	case trace.KindRequest:
		h.requests[e.Request.ID] = e.Request
	case trace.KindSent:
		x := h.exchange(e, e.Sent.Request)
		x.Sent = e.Sent
	case trace.KindAnswer:
		h.answer(e)
	case trace.KindCount:
		t := h.Trial(e.Trial)
		t.Counts = append(t.Counts, Counted{e.Trial, e.Label, e.Attempt, e.At, *e.Count})
	case trace.KindKill, trace.KindExit, trace.KindStart, trace.KindReady, trace.KindAdvance, trace.KindStore:
		t := h.Trial(e.Trial)
		m := Moment{Trial: e.Trial, Kind: e.Kind, Attempt: e.Attempt, At: e.At}
		if e.Process != nil {
			m.Process = *e.Process
		}
		t.Moments = append(t.Moments, m)
	case trace.KindUndone:
		t := h.Trial(e.Trial)
		t.Undone = append(t.Undone, e.Text)
	case trace.KindStep:
		h.Whole = true
	}
}

// exchange finds or makes the exchange that an event belongs to.
func (h *History) exchange(e trace.Event, request string) *Exchange {
	p := place{e.Trial, e.Label, e.Attempt, e.Copy, request}
	if x := h.open[p]; x != nil {
		return x
	}
	x := &Exchange{Trial: e.Trial, Label: e.Label, Attempt: e.Attempt, Copy: e.Copy, Request: h.requests[request]}
	h.open[p] = x
	t := h.Trial(e.Trial)
	t.Exchanges = append(t.Exchanges, x)
	t.byLabel[e.Label] = append(t.byLabel[e.Label], x)
	return x
}

func (h *History) answer(e trace.Event) {
	x := h.exchange(e, e.Answer.Request)
	x.Answer = e.Answer
}

// Under gives the exchanges under a label, in the order they were recorded.
func (t *Trial) Under(label string) []*Exchange { return t.byLabel[label] }

// Last gives the last exchange under a label, nil where there is none.
func (t *Trial) Last(label string) *Exchange {
	xs := t.Under(label)
	if len(xs) == 0 {
		return nil
	}
	return xs[len(xs)-1]
}

// Counted gives the last reading under a label, and whether it is there and did
// not fail. A settled count is the final one where that is no lower: a store in
// memory loses counts in a crash, and no effect goes away.
func (t *Trial) Counted(label string) (Counted, bool) {
	c, ok := t.reading(label)
	if label, settled := finalOf(label); ok && settled {
		if final, read := t.reading(label); read && final.N >= c.N {
			return final, true
		}
	}
	return c, ok
}

func (t *Trial) reading(label string) (Counted, bool) {
	for i := len(t.Counts) - 1; i >= 0; i-- {
		if c := t.Counts[i]; c.Label == label {
			return c, c.Error == ""
		}
	}
	return Counted{}, false
}

// Whole says that the exchange has a whole answer.
func (x *Exchange) Whole() bool {
	return x != nil && x.Answer != nil && x.Answer.Outcome == trace.Answered
}

// hungUp says that this side ended the exchange on purpose.
func (x *Exchange) hungUp() bool {
	return x != nil && x.Answer != nil && x.Answer.Outcome == trace.HungUp
}
