package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Harvest is what one harvest does for one operation.
type Harvest struct {
	Plans []*Plan
	Uses  []trace.Use // of planted operations; to be written down before anything is sent
	// Over says that nothing more can be told of the planted operations after
	// this harvest: they need not be kept any longer.
	Over bool
}

// harvestSteps are the steps that a harvest judges.
var harvestSteps = [...]string{"duplicate", "conflict", "expiry"}

// Labels of what a harvest sends and counts, beside those of the planting.
const (
	lateBefore = "late-before"
	late       = "late"
)

// harvester plans one harvest.
type harvester struct {
	op      *contract.Operation
	planted *Planted
	env     Env      // of the harvest: its controls have keys of their own
	again   *builder // makes the planted operations again
	ops     []plantedOp
	now     int64 // on the planting's clock
	out     *Harvest
}

// HarvestPlans makes what a harvest sends for an operation. planting is the Env
// that the planting had, with the keys of today; now is nanoseconds on the
// planting's clock. An operation that cannot be made again as it was is an error.
func HarvestPlans(op *contract.Operation, env, planting Env, s Selection, p *Planted, now int64) (*Harvest, error) {
	h := &harvester{op: op, planted: p, env: env, again: newBuilder(op, PlantStep, planting), now: now, out: &Harvest{}}
	h.ops = h.again.plantOps()
	if h.again.err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.Name, h.again.err)
	}
	if err := h.sameAsPlanted(); err != nil {
		return nil, err
	}
	control, err := planControl(op, env)
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.Name, err)
	}
	h.out.Plans = []*Plan{control}
	idle := true
	for _, step := range Steps() {
		plan, err := h.step(step, s)
		switch {
		case err != nil:
			return nil, fmt.Errorf("operation %s, step %s: %w", op.Name, step.Name, err)
		case plan == nil:
			continue
		}
		idle = idle && plan.Idle.Text != ""
		h.out.Plans = append(h.out.Plans, plan)
	}
	if idle {
		h.out.Plans = h.out.Plans[1:]
	}
	atLeast, atMost, _ := op.EffectiveRetention()
	h.out.Over = h.all(func(r *Record) bool { return h.past(r, max(atLeast, atMost)) })
	if h.out.Over && !p.Cleaned {
		h.adopt()
	}
	return h.out, nil
}

// adopt lets the planted operations go: they are cleaned up with what the
// harvest itself makes.
func (h *harvester) adopt() {
	for _, plan := range h.out.Plans {
		if plan.Idle.Text != "" || plan.Step == ControlStep {
			continue
		}
		for _, o := range h.ops {
			if r := h.planted.Record(h.op.Name, o.trial); r == nil || r.FirstSent == 0 && !r.Accepted {
				continue
			}
			plan.Adopted = append(plan.Adopted, h.request(o.id))
		}
		return
	}
}

// sameAsPlanted holds the operations, made again, to what was sent then. What
// the trace masks is held by the contract's own digest.
func (h *harvester) sameAsPlanted() error {
	for _, o := range h.ops {
		r := h.planted.Record(h.op.Name, o.trial)
		if r == nil {
			continue // the planting was cut off before it
		}
		q := h.request(o.id)
		if q.Key != r.Request.Key {
			return problem.New("", "the key of %s, %s is not the one that was planted", h.op.Name, o.trial).
				WithHint("harvest with the recipe and the key material that it was planted with")
		}
		if q.Method != r.Request.Method || q.Target != r.Request.Target || int64(len(q.Body)) != r.Request.Body.Size {
			return problem.New("", "the request of %s, %s is not the one that was planted", h.op.Name, o.trial).
				WithHint("harvest with the files and the version of idem that it was planted with")
		}
	}
	return nil
}

// step plans one step; nil where the contract does not enable it.
func (h *harvester) step(s Step, chosen Selection) (*Plan, error) {
	if _, missing := s.Missing(h.env.Contract, h.op); missing {
		return nil, nil
	}
	idle := func(why Reason, excused bool) (*Plan, error) {
		return &Plan{Operation: h.op.Name, Step: s.Name, Idle: why, Excused: excused}, nil
	}
	if !slices.Contains(harvestSteps[:], s.Name) {
		return idle(Reason{Text: "a harvest judges " + strings.Join(harvestSteps[:], ", ")}, true)
	}
	if why := chosen.leaves(s.Name); why != "" {
		return idle(Reason{Text: why}, true)
	}
	b := newBuilder(h.op, s.Name, h.env)
	switch s.Name {
	case "duplicate":
		h.planDuplicate(b)
	case "conflict":
		h.planConflict(b)
	default:
		h.planExpiry(b)
	}
	if len(b.plan.Threads) == 0 && b.err == nil {
		why, excused := h.nothing(s.Name)
		return idle(why, excused)
	}
	b.plan.planLast()
	return b.plan, b.err
}

// all says that something holds for every record that stands.
func (h *harvester) all(holds func(*Record) bool) bool {
	n := 0
	for _, r := range h.planted.Records {
		if r.Operation != h.op.Name || !r.Accepted {
			continue
		}
		n++
		if !holds(r) {
			return false
		}
	}
	return n > 0
}

// past says that a duration has certainly passed since a record's first answer.
func (h *harvester) past(r *Record, d time.Duration) bool {
	passed := time.Duration(h.now - r.LastAnswered)
	return passed-inexact(passed) > d
}

// within says that a record is certainly still within its retention.
func (h *harvester) within(r *Record) bool {
	atLeast, _, _ := h.op.EffectiveRetention()
	passed := time.Duration(h.now - r.FirstSent)
	return passed+inexact(passed) < atLeast
}

// pick gives the records of a purpose that fit, the least used first.
func (h *harvester) pick(purpose Purpose, fits func(*Record) bool) []*Record {
	var out []*Record
	for _, r := range h.planted.Records {
		if r.Operation == h.op.Name && r.Purpose == purpose && r.Accepted && fits(r) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b *Record) int { return len(a.Uses) - len(b.Uses) })
	return out
}

// take gives a planted operation to a step's plan: its frozen request, what was
// recorded of it, and the note that it is used.
func (h *harvester) take(b *builder, r *Record, as string) plantedOp {
	i := slices.IndexFunc(h.ops, func(o plantedOp) bool { return o.trial == r.Name })
	o := h.ops[i]
	h.lend(b, o.id)
	for _, e := range r.events {
		b.plan.Planted = append(b.plan.Planted, earlier(e, h.now))
	}
	h.out.Uses = append(h.out.Uses, trace.Use{Operation: h.op.Name, Record: r.Name, As: as})
	return o
}

// earlier gives an event as it is on a clock that began later by so many
// nanoseconds.
func earlier(e trace.Event, by int64) trace.Event {
	e.At -= by
	if e.Sent != nil {
		sent := *e.Sent
		sent.WriteBegan -= by
		sent.WriteEnded -= by
		e.Sent = &sent
	}
	if e.Answer != nil {
		answer := *e.Answer
		if answer.FirstByte != 0 { // 0: none came
			answer.FirstByte -= by
		}
		answer.LastByte -= by
		if answer.Ended != 0 {
			answer.Ended -= by
		}
		e.Answer = &answer
	}
	if e.Count != nil {
		count := *e.Count
		count.Began -= by
		e.Count = &count
	}
	return e
}

// lend puts a request that was made as the planting did into a step's plan.
func (h *harvester) lend(b *builder, id string) {
	b.plan.Requests = append(b.plan.Requests, h.request(id))
}

// request gives a request that was made as the planting did.
func (h *harvester) request(id string) *Request {
	i := slices.IndexFunc(h.again.plan.Requests, func(q *Request) bool { return q.ID == id })
	return h.again.plan.Requests[i]
}

// planDuplicate sends one operation again that was left alone so far, where
// there is one.
func (h *harvester) planDuplicate(b *builder) {
	if all := h.pick(ForReplay, h.within); len(all) > 0 {
		h.planKept(b, all[0], "replay")
	}
}

// planKept sends the request of a key that is still to be remembered.
func (h *harvester) planKept(b *builder, r *Record, as string) {
	o := h.take(b, r, as)
	b.thread(r.Name, join(
		b.count(lateBefore, o.made),
		[]Action{comeBack(late, o.id, patience(b.op))},
		b.settled("settled", o.made),
		[]Action{b.environment(r.Name, 2, NoHold, late)},
	)...)
}

// planConflict sends changed bodies under planted keys, each with its mutation
// control, and then the originals.
func (h *harvester) planConflict(b *builder) {
	for _, r := range h.pick(ForConflict, h.within) {
		o := h.take(b, r, "conflict")
		m := valueChange(h.op, *o.leaf)
		control := b.make(r.Name + "/control")
		m.change(control.draft)
		controlID := b.freeze(r.Name+"/control", control, m.name+ownKey)
		changed := h.again.with(o.made)
		m.change(changed.draft)
		changedID := h.again.freeze(r.Name+"/changed", changed, m.name)
		h.lend(b, changedID)
		b.thread(r.Name, join(
			b.count(lateBefore, o.made),
			[]Action{comeBack("control", controlID, patience(b.op)), b.comeBackOrConflict("changed", changedID)},
			b.settled("after-changed", o.made),
			[]Action{comeBack("again", o.id, patience(b.op))},
			b.settled("settled", o.made),
			b.count("control-effects", control),
			[]Action{b.environment(r.Name, 2, NoHold, "control", "changed", "again")},
		)...)
	}
}

// planExpiry sends keys that were left alone: in the retention's last quarter,
// and after at_most; then also one that was replayed within the retention.
func (h *harvester) planExpiry(b *builder) {
	atLeast, atMost, _ := h.op.EffectiveRetention()
	inLast := func(r *Record) bool {
		passed := time.Duration(h.now - r.FirstSent)
		return h.within(r) && passed-inexact(passed) >= lastQuarter(atLeast)
	}
	if all := h.pick(ForLast, inLast); len(all) > 0 {
		h.planKept(b, all[0], "last")
	}
	if atMost == 0 {
		return
	}
	over := func(r *Record) bool { return h.past(r, atMost) && r.used("forget")+r.used("extended") == 0 }
	forgotten := h.pick(ForForget, over)
	if len(forgotten) == 0 {
		return
	}
	h.planForgotten(b, forgotten[0])
	if h.op.Promise.Retention.Value.From == "last_use" {
		return
	}
	replayed := func(r *Record) bool { return over(r) && r.used("replay")+r.used("last") > 0 }
	for _, purpose := range []Purpose{ForLast, ForReplay} {
		if all := h.pick(purpose, replayed); len(all) > 0 {
			h.planExtended(b, all[len(all)-1])
			return
		}
	}
}

// planForgotten sends duplicates together, then one more, of a key that was
// left alone until its retention was over.
func (h *harvester) planForgotten(b *builder, r *Record) {
	o := h.take(b, r, "forget")
	b.plan.Makes++ // a forgotten key makes a new operation
	b.thread(r.Name, join(
		b.count(lateBefore, o.made),
		[]Action{
			Send{Label: "after", Request: o.id, Copies: afterCopies, Hold: HoldBody},
			Settle{For: comeBackEvery},
			comeBack("again", o.id, patience(b.op)),
		},
		b.settled("settled", o.made),
		[]Action{b.environment(r.Name, 2, NoHold, "after", "again")},
	)...)
}

// planExtended sends one request of a key that was replayed within the
// retention: a replay does not move its end on.
func (h *harvester) planExtended(b *builder, r *Record) {
	o := h.take(b, r, "extended")
	b.plan.Makes++
	b.thread(r.Name, join(
		b.count(lateBefore, o.made),
		[]Action{comeBack("after", o.id, patience(b.op))},
		b.settled("settled-after", o.made),
		[]Action{b.environment(r.Name, 2, NoHold, "after")},
	)...)
}

// nothing says why a step has nothing to send now, and when to come back.
// Excused is what is no longer promised: the retention is over.
func (h *harvester) nothing(step string) (why Reason, excused bool) {
	w, ok := h.planted.WindowsOf(h.op)
	line := h.op.Promise.Retention.Pos.Line
	if !ok {
		return Reason{Text: "no operation was planted", Settle: "plant again, and let it run to its end"}, false
	}
	now := h.planted.Epoch.Add(time.Duration(h.now))
	between := !w.Forgotten.IsZero() && now.Before(w.Forgotten)
	switch {
	case step == "conflict" && !h.op.Promise.Conflict.Known:
		why = Reason{Text: "promise.conflict is not stated", Line: h.op.Promise.Conflict.Pos.Line, Settle: stating("conflict")}
	case step == "conflict" && h.planted.Standing(h.op.Name)[ForConflict] == 0:
		why = Reason{Text: "the body has nothing to change but fresh values", Line: h.op.Request.Pos.Line,
			Settle: "give the request a body with another value"}
	case step == "expiry" && now.Before(w.LastFrom):
		why = Reason{Text: "so early nothing shows that keys are kept to the end of their retention", Line: line,
			Settle: "harvest again from " + stamp(w.LastFrom) + " to " + stamp(w.Until)}
	case between:
		why = Reason{Text: "between at_least and at_most a key may be remembered or forgotten", Line: line,
			Settle: "harvest again from " + stamp(w.Forgotten) + " on, or plant again"}
	case step == "expiry" && !w.Forgotten.IsZero():
		why = Reason{Text: "every operation that was planted for it has been used", Line: line, Settle: "plant again"}
	case step == "expiry":
		why = Reason{Text: "the retention is over: whether keys were kept to its end was not looked at", Line: line,
			Settle: "plant again, and harvest in the last quarter of the retention"}
	default:
		return Reason{Text: "the retention is over, since " + stamp(w.Until) + ": nothing is promised of duplicates any more", Line: line}, true
	}
	return why, false
}

// stamp writes a time for people, to the second.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
