package probe

import "fmt"

// conflictStep sends a key again with a changed body, once for every leaf of
// the payload, and then the original again: a good answer to a conflict must
// not cost the original its record.
var conflictStep = Step{
	Name:  "conflict",
	What:  "the same key with another body is answered as promised, and the original keeps its result",
	plan:  planConflict,
	judge: judgeConflict,
}

func planConflict(b *builder) {
	if !b.op.Promise.Conflict.Known {
		b.plan.Idle = Reason{Text: "promise.conflict is not stated", Line: b.op.Promise.Conflict.Pos.Line,
			Settle: stating("conflict")}
		return
	}
	ms := b.mutations()
	if len(ms) == 0 {
		b.plan.Idle = Reason{Text: "the body has nothing to change", Line: b.op.Request.Pos.Line,
			Settle: "give the request a JSON or form body"}
		return
	}
	for i, m := range ms {
		b.planMutation(changeName(i), m)
	}
}

// changeName names the trial of a change, from 0.
func changeName(i int) string { return fmt.Sprintf("change-%d", i+1) }

// planMutation plans one change: the original, the control (the changed body
// under its own key with new fresh values), the changed body under the
// original's key, the original again.
func (b *builder) planMutation(trial string, m mutation) {
	original := b.make(trial + "/original")
	first := b.freeze(trial+"/original", original, "")
	control := b.make(trial + "/control")
	b.apply(control, m, trial+"/control/changed")
	controlID := b.freeze(trial+"/control", control, m.name+", under its own key")
	changed := b.with(original)
	b.apply(changed, m, trial+"/changed")
	changedID := b.freeze(trial+"/changed", changed, m.name)
	look := b.settled("after-changed", original)
	before := b.count("before", original)
	if m.fresh != nil && b.op.CounterReads(m.fresh.At) {
		before = join(before, b.count("changed-before", changed))
		look = join(look, b.count("changed-effects", changed))
	}
	b.thread(trial, join(
		before,
		[]Action{comeBack("control", controlID, patience(b.op)), comeBack("first", first, patience(b.op))},
		b.above("after-first", "before", original),
		[]Action{b.comeBackOrConflict("changed", changedID)},
		look,
		[]Action{comeBack("again", first, patience(b.op))},
		b.settled("settled", original),
		b.count("control-effects", control),
		[]Action{b.environment(trial, 2, NoHold, "first", "control", "changed", "again")},
	)...)
}

// apply changes a body; a fresh pointer gets another fresh value.
func (b *builder) apply(m *made, change mutation, slot string) {
	if change.fresh != nil {
		b.refresh(m, *change.fresh, slot)
		return
	}
	if !m.draft.put(change.pointer, change.value) {
		b.fail(fmt.Errorf("conflict: %s is not in the body", change.pointer))
	}
}
