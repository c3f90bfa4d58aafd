package probe

import (
	"fmt"
	"strings"
)

// conflictStep sends a key again with a changed request, once for every value
// of the payload and for other changes, and then the original again: a good
// answer to a conflict must not cost the original its record. Then the changed
// request comes once more, since some servers compare only until they have
// replayed; copies race in flight; and after a restart all must be so again.
// mutate.go has the changes, changed.go the judgement.
var conflictStep = Step{
	Name:  "conflict",
	What:  "the same key with another body is answered as promised, and the original keeps its result",
	plan:  planConflict,
	judge: judgeConflict,
}

// conflictLanes is how many changes are tried at the same time.
const conflictLanes = 6

func planConflict(b *builder) {
	p := b.op.Promise.Conflict
	if !p.Known {
		b.plan.Idle = Reason{Text: "promise.conflict is not stated", Line: p.Pos.Line, Settle: stating("conflict")}
		return
	}
	ms, err := mutations(b.op, b.env.Seed)
	b.fail(err)
	if len(ms) == 0 {
		b.plan.Idle = Reason{Text: "the body has nothing to change", Line: b.op.Request.Pos.Line,
			Settle: "give the request a JSON or form body"}
		return
	}
	var trials []laneTrial
	changes, near, unlikely, advised := 0, 0, 0, 0
	for _, m := range ms {
		switch {
		case m.advisory:
			trials = append(trials, b.planAdvisory(advisoryName(advised), m))
			advised++
		case m.base != nil:
			trials = append(trials, b.planMutation(nearName(near), m))
			near++
		case m.unlikely:
			trials = append(trials, b.planMutation(unlikelyName(unlikely), m))
			unlikely++
		default:
			trials = append(trials, b.planMutation(changeName(changes), m))
			changes++
		}
	}
	if p.Value.Mode == "answer" {
		trials = append(trials, b.planInFlight(ms)...)
	}
	b.lanes(conflictLanes, trials)
	if p.Value.Mode == "answer" && b.op.Crash != nil {
		b.planRestarted(ms)
	}
}

// changeName names the trial of a change, nearName that of large neighbours,
// unlikelyName that of one which few APIs accept, advisoryName that of one which
// is told of and not judged, from 0.
func changeName(i int) string   { return fmt.Sprintf("change-%d", i+1) }
func nearName(i int) string     { return fmt.Sprintf("near-%d", i+1) }
func unlikelyName(i int) string { return fmt.Sprintf("unlikely-%d", i+1) }
func advisoryName(i int) string { return fmt.Sprintf("advisory-%d", i+1) }

// near says that a trial is one of large neighbours, whose original is not the
// contract's request.
func (t *Trial) near() bool { return strings.HasPrefix(t.Name, "near-") }

// unlikely says that few APIs accept the changed request of a trial.
func (t *Trial) unlikely() bool { return strings.HasPrefix(t.Name, "unlikely-") }

// ownKey ends the name of a control's change.
const ownKey = ", under its own key"

// changing are the frozen requests of one change.
type changing struct {
	original, control, changed       *made
	originalID, controlID, changedID string
}

// freezeChange freezes the original, the changed request under the original's
// key and, as the mutation control, the changed one under its own key with new
// fresh values.
func (b *builder) freezeChange(trial string, m mutation) changing {
	var c changing
	c.original, c.control = b.make(trial+"/original"), b.make(trial+"/control")
	b.prepare(c.original, m)
	c.originalID = b.freeze(trial+"/original", c.original, "")
	b.apply(c.control, m, trial+"/control/changed")
	c.controlID = b.freeze(trial+"/control", c.control, m.name+ownKey)
	c.changed = b.with(c.original)
	b.apply(c.changed, m, trial+"/changed")
	c.changedID = b.freeze(trial+"/changed", c.changed, m.name)
	if b.op.Promise.Conflict.Value.Mode == "execute" {
		b.plan.Makes++ // another body is another operation
	}
	return c
}

// planMutation plans one change: the control, the original, the changed
// request, the original again, the changed one after that replay. What follows
// an original that is not accepted shows nothing and is not sent.
func (b *builder) planMutation(trial string, m mutation) laneTrial {
	c := b.freezeChange(trial, m)
	before, look := b.count("before", c.original), b.settled("after-changed", c.original)
	end := b.count("settled", c.original)
	if m.fresh != nil && b.op.CounterReads(m.fresh.At) {
		before = join(before, b.count("changed-before", c.changed))
		look = join(look, b.count("changed-effects", c.changed))
		end = join(end, b.count("settled-changed", c.changed))
	}
	follow := join(
		b.above("after-first", "before", c.original),
		[]Action{b.comeBackOrConflict("changed", c.changedID)},
		look,
		[]Action{comeBack("again", c.originalID, patience(b.op))},
	)
	if b.op.Promise.Conflict.Value.Mode == "answer" {
		follow = join(follow, b.count("after-again", c.original), []Action{b.comeBackOrConflict("warm", c.changedID)})
	}
	sends := []Action{comeBack("control", c.controlID, patience(b.op)), comeBack("first", c.originalID, patience(b.op))}
	if m.base != nil {
		follow, end = b.whereAccepted("first", follow), b.whereAccepted("first", end)
	}
	return laneTrial{trial: trial, body: join(before, sends, follow, b.count("control-effects", c.control),
		[]Action{b.environment(trial, 2, NoHold, "first", "control", "changed", "again", "warm")}), look: end}
}

// planAdvisory plans a change that is told of: no effect is counted.
func (b *builder) planAdvisory(trial string, m mutation) laneTrial {
	c := b.freezeChange(trial, m)
	return laneTrial{trial: trial, body: []Action{
		comeBack("control", c.controlID, patience(b.op)), comeBack("first", c.originalID, patience(b.op)),
		b.comeBackOrConflict("changed", c.changedID)}}
}
