package probe

import (
	"fmt"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// neighbour is an experiment with one key at two places: the operation itself,
// and one that differs in who sends it or in where it goes. The neighbour's
// control is sent before under a key of its own, in the very situation that the
// neighbour will meet, so that a refusal of the neighbour is the key's doing.
type neighbour struct {
	trial   string
	form    form   // of the neighbour's request
	change  string // how it differs, for people
	other   bool   // as the other principal
	sibling bool   // effects are counted by the sibling's counter
	another bool   // with a body of its own
	retry   bool   // it is sent twice

	// Where replicas are: the first goes to one, the neighbour to another, and
	// the retry of each where the other one went first.
	from, to string // as in Send.Target
	family   string // behind one URL, where retries wander: what the names of such trials begin with
}

// planNeighbour plans, one after another: the prior and the control, which are
// what the first and the neighbour will be, under keys of their own; the first;
// the neighbour with the first's key; the first again.
func (b *builder) planNeighbour(n neighbour) {
	prior := b.make(n.trial + "/prior")
	priorID := b.freeze(n.trial+"/prior", prior, "")
	control := b.withForm(prior, n.form)
	if n.another {
		control = b.makeAs(n.trial+"/control", n.form)
	} else {
		b.rekeyAs(control, n.trial+"/control-key")
	}
	controlID := b.freeze(n.trial+"/control", control, n.change+", under a key of its own")
	first := b.make(n.trial + "/first")
	firstID := b.freeze(n.trial+"/first", first, "")
	other := b.withForm(first, n.form)
	if n.another {
		other = b.makeAs(n.trial+"/neighbour", n.form)
		other.key = first.key
	}
	otherID := b.freeze(n.trial+"/neighbour", other, n.change)
	if !n.another && (!n.sibling || b.op.Promise.Binding.Value == "independent") {
		b.plan.Makes++ // at its place the key is another one
	}
	b.neighbourThread(n, join(
		b.count("prior-before", prior),
		[]Action{comeBackAt("control-prior", priorID, n.from, patience(b.op))},
		b.above("prior-after", "prior-before", prior),
		b.neighbours(n, "control-before", control),
		[]Action{n.comeBack("control", controlID, patience(b.op))},
		b.neighboursAbove(n, "control-after", "control-before", control),
		b.count("control-main", control),
		b.count("before", first),
		[]Action{comeBackAt("first", firstID, n.from, patience(b.op))},
		b.above("after-first", "before", first),
		b.neighbours(n, "other-before", other),
		[]Action{settlingConflict(n.comeBack("neighbour", otherID, patience(b.op)))},
		b.neighboursWhereSeen(n, other),
		b.neighbours(n, "other-after", other),
		b.count("between", first),
		b.retried(n, otherID),
		b.firstAgain(n, firstID),
		[]Action{b.neighbourEnvironment(n)},
		b.neighbours(n, "settled-neighbour", other),
		b.settledLast(n, first),
	))
}

// settledLast reads the first's effects at the end, after one settling.
func (b *builder) settledLast(n neighbour, first *made) []Action {
	if n.sibling && !countable(b.op.Sibling.Effects) {
		return b.settled("settled", first)
	}
	return b.count("settled", first)
}

// effectsOf gives what counts a neighbour's effects.
func effectsOf(op *contract.Operation, n neighbour) *contract.Effects {
	if n.sibling {
		return op.Sibling.Effects
	}
	return op.Effects
}

// neighbours counts a neighbour's effects after settling.
func (b *builder) neighbours(n neighbour, label string, m *made) []Action {
	effects := effectsOf(b.op, n)
	if !countable(effects) {
		return nil
	}
	return []Action{Settle{For: effects.Settle}, Count{Label: label, Subject: b.subject(m), Sibling: n.sibling}}
}

// neighboursAbove counts them until there are more than at an earlier reading.
func (b *builder) neighboursAbove(n neighbour, label, above string, m *made) []Action {
	if !countable(effectsOf(b.op, n)) {
		return nil
	}
	return []Action{Count{Label: label, Subject: b.subject(m), Sibling: n.sibling, Poll: true, Above: above}}
}

// neighboursWhereSeen waits for the neighbour's effect, but only where it was
// accepted and the control's was seen: for one that was refused, or that the
// counter is blind to, nobody need wait.
func (b *builder) neighboursWhereSeen(n neighbour, m *made) []Action {
	body := b.neighboursAbove(n, "other-seen", "other-before", m)
	if len(body) == 0 {
		return nil
	}
	c := body[0].(Count)
	c.Within, _ = neighbourWait(b.op, n)
	body = []Action{If{When: Condition{Fact: Risen, Labels: []string{"control-before", "control-after"}}, Body: []Action{c}}}
	return b.whereAccepted("neighbour", body)
}

// neighbourWait is how long a neighbour's effect is waited for: it may never
// come, and the first's key must outlive the wait. Whole says that this is as
// long as effects may take.
func neighbourWait(op *contract.Operation, n neighbour) (wait time.Duration, whole bool) {
	effects := effectsOf(op, n)
	atLeast, _, known := op.EffectiveRetention()
	if !known || atLeast/3 >= effects.AppearsWithin {
		return effects.AppearsWithin, true
	}
	return atLeast / 3, false
}

// met is what a neighbour's experiment showed.
type met struct {
	first, control, other, retried, again *Exchange
	prior                                 *Exchange // nil where the control has values of its own

	counted   bool   // the neighbour's own effects can be counted
	unit, own int64  // of the control and of the neighbour
	late      int64  // what rose after the neighbour was answered
	leak      string // see leaks
	unseen    bool   // no effect of its own came for as long as could be waited, which is not as long as it may take
}

// meet reads a neighbour's experiment. Why says why it proves nothing, in words
// for its case, "" where it does; what must be said of the step is said.
func (j *judging) meet(t *Trial, n neighbour) (m met, why string) {
	m = met{control: t.Last("control"), other: t.Last("neighbour"), again: t.Last("again"), retried: t.Last("retried")}
	if n.family != "" {
		m.again, m.retried = j.lastFinal(t, "again"), j.lastFinal(t, "retried")
	}
	if !n.another {
		m.prior = t.Last("control-prior")
	}
	if j.elsewhere(t, m.control) {
		return m, "the environment"
	}
	if !j.rules.class(t.Last("control-prior")).welcome || !j.rules.class(m.control).welcome {
		return m, "validated first: under a key of its own it gets " + j.rules.describe(m.control)
	}
	first, ok := j.first(t, "first")
	if m.first = first; !ok {
		return m, "the first request was not accepted"
	}
	if j.lapsed(t) {
		return m, "too late"
	}
	if m.other == nil || m.again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return m, "not sent"
	}
	if !j.final(t, m.other, "other-after", "again") || !j.final(t, m.again, "settled") ||
		j.environmental(t, m.other) || j.environmental(t, m.again) || n.retry && j.environmental(t, m.retried) {
		return m, "not shown"
	}
	m.leak = j.rules.leaks(m.first, m.control, m.other, m.prior)
	j.meetCounts(t, n, &m)
	return m, ""
}

// meetCounts reads the counts. The neighbour's own effects count only where the
// control's were seen: the counter may show one caller's alone.
func (j *judging) meetCounts(t *Trial, n neighbour, m *met) {
	if !j.sound() {
		return
	}
	var ok1, ok2 bool
	m.unit, ok1 = j.rise(t, "control-before", "control-after")
	m.own, ok2 = j.rise(t, "other-before", "other-after")
	m.counted = ok1 && ok2 && m.unit > 0
	if none, _ := t.reading("other-before"); m.counted && m.own > m.unit && j.ranUnheard(t, "other-after", none.N+m.unit) {
		m.counted = false
	}
	if m.counted && m.own == 0 && j.rules.class(m.other).welcome {
		_, whole := neighbourWait(j.op, n)
		m.unseen, m.counted = !whole, whole
	}
	between, ok1 := t.reading("between")
	settled, ok2 := t.Counted("settled")
	lateCounted := ok1 && ok2
	if lateCounted && !j.blurred(t, n) && !(settled.N > between.N && j.ranUnheard(t, "settled", between.N)) {
		m.late = settled.N - between.N
	}
	if n.another || n.sibling {
		after, ok1 := t.reading("other-after")
		end, ok2 := t.Counted("settled-neighbour")
		if (m.counted || m.unseen) && ok1 && ok2 && !(end.N > after.N && j.ranUnheard(t, "settled-neighbour", after.N)) {
			m.late += end.N - after.N
		}
	}
	if m.counted || lateCounted {
		j.result.Evidence.Effects = j.worse(Effects{Before: 0, After: m.own, Settled: m.own + m.late,
			Unit: max(m.unit, j.controls.Unit), CountedBy: string(j.op.Effects.Kind)})
	}
}

// rise gives how many effects a trial's values had between two readings, where
// none may be wanted: it is no evidence of one operation's unit.
func (j *judging) rise(t *Trial, from, to string) (n int64, ok bool) {
	if !j.sound() {
		return 0, false
	}
	a, ok1 := t.reading(from)
	b, ok2 := t.Counted(to)
	for _, c := range []Counted{a, b} {
		if c.Error != "" {
			j.unsure(0, "see why the counter failed", "%s: the counter gave nothing for %q: %s", t.Name, c.Label, c.Error)
		}
	}
	return b.N - a.N, ok1 && ok2
}

// blurred says that the operation's counter may show a neighbour's effect that
// cannot be counted on its own, so that it may come at any time: what rose later
// is then not told from it.
func (j *judging) blurred(t *Trial, n neighbour) bool {
	if !n.sibling || countable(j.op.Sibling.Effects) {
		return false
	}
	before, _ := t.reading("prior-before")
	control, ok := t.reading("control-main")
	return !ok || control.N-before.N > j.controls.Unit
}

// tellsNeighbour says that the neighbour's own run could be told from the first's
// result: by its effects, or by what results show.
func (j *judging) tellsNeighbour(m met, n neighbour) bool {
	if m.unseen {
		wait, _ := neighbourWait(j.op, n)
		j.unsure(j.op.Pos.Line, "state effects.appears_within, how long effects may take, below a third of the retention; or give the target a longer one (expiry.wait)",
			"no effect of its own was counted within %s, and effects may take longer: what was waited for is bounded by the key's retention", wait)
		return false
	}
	if m.counted || j.rules.tellsApart(m.first, m.control, m.other, m.prior) {
		return true
	}
	line, what := j.op.Pos.Line, "effects"
	if n.sibling {
		line, what = j.op.Sibling.Pos.Line, "sibling.effects"
	}
	j.unsure(line, fmt.Sprintf("declare %s that counts them, or answer with an id of what was made", what),
		"neither effects nor answers tell the first result from one of its own: %s", j.rules.describe(m.other))
	return false
}
