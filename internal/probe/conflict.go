package probe

import (
	"fmt"

	"github.com/idem-toolkit/idem/internal/contract"
)

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
		b.plan.Idle = Reason{Text: "promise.conflict is not stated", Line: b.op.Promise.Conflict.Pos.Line}
		return
	}
	ms := b.mutations()
	if len(ms) == 0 {
		b.plan.Idle = Reason{Text: "the body has nothing to change", Line: b.op.Request.Pos.Line,
			Settle: "give the request a JSON or form body"}
		return
	}
	for i, m := range ms {
		b.planMutation(fmt.Sprintf("change-%d", i+1), m)
	}
}

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
	if m.fresh != nil {
		look = join(look, b.count("changed-effects", changed))
	}
	b.thread(trial, join(
		b.count("before", original),
		[]Action{comeBack("control", controlID, patience(b.op)), comeBack("first", first, patience(b.op))},
		b.appear("after-first", original),
		[]Action{b.comeBackOrConflict("changed", changedID)},
		look,
		[]Action{comeBack("again", first, patience(b.op))},
		b.settled("settled", original),
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

func judgeConflict(j *judging) {
	p := j.op.Promise
	if !p.Conflict.Known {
		j.unknown("conflict", p.Conflict.Pos)
		return
	}
	proved, tried := 0, 0
	var uncovered []string
	for _, t := range j.history.Trials {
		name := t.Name
		if x := t.Last("changed"); x != nil && x.Request != nil {
			name = x.Request.Change
		}
		tried++
		findings := len(j.result.Findings)
		c := Case{Name: name, Verdict: Pass}
		proof, note := j.judgeMutation(t, name)
		switch {
		case len(j.result.Findings) > findings:
			c.Verdict = Fail
			proved++
			uncovered = append(uncovered, name)
		case !proof:
			c.Verdict, c.Text = Inconclusive, note
		default:
			proved++
		}
		j.result.Cases = append(j.result.Cases, c)
	}
	j.measure("changes", "%d tried, %d proved", tried, proved)
	j.control("mutation", proved > 0, "%d of %d changed bodies are accepted under keys of their own", proved, tried)
	if proved == 0 && len(j.result.Reasons) == 0 {
		j.unsure(j.op.Request.Pos.Line, "give the request a body in which some value may be changed",
			"no changed body is accepted under its own key: a refusal proves nothing")
	}
}

// judgeMutation judges one changed body. Proof is false where the control says
// that it proves nothing; note says why.
func (j *judging) judgeMutation(t *Trial, name string) (proof bool, note string) {
	first, ok := j.first(t, "first")
	if !ok {
		return false, "the original was not accepted"
	}
	if j.lapsed(t) {
		return false, "too late"
	}
	if control := t.Last("control"); !j.rules.accepted(control) {
		return false, "validated first: under its own key the changed body gets " + j.rules.describe(control)
	}
	changed, again := t.Last("changed"), t.Last("again")
	if changed == nil || again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", name)
		return false, "not sent"
	}
	if j.environmental(t, changed) || j.environmental(t, again) {
		return false, "the environment"
	}
	known := len(j.result.Findings)
	switch j.op.Promise.Conflict.Value.Mode {
	case "replay":
		j.expectFirstResult(t, name, first, changed)
	case "execute":
		j.expectOwnRun(t, name, first, changed)
	default:
		j.expectRefusal(t, name, first, changed)
	}
	j.judgeOriginal(t, name, first, again, len(j.result.Findings) > known)
	return true, ""
}

// expectRefusal: the contract names the conflict's answer.
func (j *judging) expectRefusal(t *Trial, name string, first, changed *Exchange) {
	p := j.op.Promise
	requirement := "the same key with another body is refused as declared"
	if j.rules.class(changed).conflict {
		if ran, n := j.changedRan(t); ran {
			j.accuse(t, Finding{Slug: "conflict/changed-body-ran", Case: name, Expected: "no effect of the changed body",
				Actual: fmt.Sprintf("it was refused, yet effects rose by %d", n)}, p.Conflict.Pos, requirement)
		}
		return
	}
	f := Finding{Case: name, Expected: p.Conflict.Value.Match.String(), Actual: j.rules.describe(changed)}
	ran, n := j.changedRan(t)
	shown, _ := told(j.rules.differences(first, changed))
	switch {
	case ran:
		f.Slug = "conflict/changed-body-ran"
		f.Actual += fmt.Sprintf(", and effects rose by %d", n)
		f.Follows = j.follows("duplicate/effect-ran-twice")
	case j.rules.accepted(changed) && (len(shown) == 0 || j.sound()):
		// With a sound counter nothing ran: whatever was answered is an old
		// result. Without one only the same answer shows it.
		f.Slug = "conflict/first-result-returned"
		if len(shown) > 0 {
			f.Actual += ", without an effect of its own"
		}
	case j.rules.accepted(changed):
		f.Slug = "conflict/changed-body-ran"
	default:
		f.Slug = "conflict/wrong-answer"
	}
	j.accuseKind(t, f, p.Conflict.Pos, requirement)
}

// accuseKind adds a finding, one for each slug with the cases named: twenty
// fields that the fingerprint leaves out are one fault.
func (j *judging) accuseKind(t *Trial, f Finding, pos contract.Pos, promise string) {
	for i := range j.result.Findings {
		if known := &j.result.Findings[i]; known.Slug == f.Slug {
			known.Also = append(known.Also, f.Case)
			return
		}
	}
	j.accuse(t, f, pos, promise)
}

// changedRan says whether the changed body had an effect, and how large.
func (j *judging) changedRan(t *Trial) (bool, int64) {
	if !j.sound() {
		return false, 0
	}
	rose := int64(0)
	first, ok1 := t.Counted("after-first")
	after, ok2 := t.Counted("after-changed")
	if ok1 && ok2 {
		rose = after.N - first.N
	}
	if own, ok := t.Counted("changed-effects"); ok {
		rose += own.N
	}
	return rose > 0, rose
}

// expectFirstResult: the contract says that only the key matters.
func (j *judging) expectFirstResult(t *Trial, name string, first, changed *Exchange) {
	p := j.op.Promise
	f := Finding{Case: name, Expected: "the first result", Actual: j.rules.describe(changed)}
	requirement := "the same key gets the first result whatever the body"
	ran, n := j.changedRan(t)
	shown, _ := told(j.rules.replay(first, changed))
	switch {
	case ran:
		f.Slug, f.Actual = "conflict/changed-body-ran", f.Actual+fmt.Sprintf(", and effects rose by %d", n)
		f.Follows = j.follows("duplicate/effect-ran-twice")
	case !j.rules.accepted(changed) && j.op.Promise.Duplicate.Value.Mode != "answer":
		f.Slug = "conflict/refused-not-promised"
	case len(shown) > 0:
		f.Slug, f.Actual = "conflict/wrong-answer", list(shown)
	default:
		return
	}
	j.accuseKind(t, f, p.Conflict.Pos, requirement)
}

// expectOwnRun: the contract says that another body is another operation.
func (j *judging) expectOwnRun(t *Trial, name string, first, changed *Exchange) {
	p := j.op.Promise
	f := Finding{Case: name, Expected: "a result of its own", Actual: j.rules.describe(changed)}
	ran, _ := j.changedRan(t)
	shown, _ := told(j.rules.differences(first, changed))
	switch {
	case !j.rules.accepted(changed):
		f.Slug = "conflict/refused-not-promised"
	case j.sound() && !ran, !j.sound() && j.controls.Vary && len(shown) == 0:
		f.Slug = "conflict/first-result-returned"
	default:
		return
	}
	j.accuseKind(t, f, p.Conflict.Pos, "the same key with another body is an operation of its own")
}

// judgeOriginal judges the original sent again after the conflict.
func (j *judging) judgeOriginal(t *Trial, name string, first, again *Exchange, accused bool) {
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	follows := j.follows("duplicate/effect-ran-twice")
	if ran, n := j.originalRan(t); ran {
		j.accuseKind(t, Finding{Slug: "conflict/effect-ran-twice", Case: name, Follows: follows,
			Expected: "no effect of the original sent again", Actual: fmt.Sprintf("effects rose by %d", n)},
			p.Conflict.Pos, "after a conflict the original still has its one effect")
		return
	}
	shown, _ := told(j.rules.replay(first, again))
	if len(shown) == 0 || accused && p.Conflict.Value.Mode == "answer" {
		return // what follows from a changed body that ran is told there
	}
	f := Finding{Slug: "conflict/record-replaced", Case: name, Expected: j.expectedDuplicate(), Actual: list(shown)}
	for _, slug := range []string{"duplicate/other-answer", "duplicate/refused", "duplicate/not-refused"} {
		if f.Follows == "" {
			f.Follows = j.follows(slug)
		}
	}
	j.accuseKind(t, f, p.Conflict.Pos, "a conflict leaves the original's record as it was")
}

func (j *judging) originalRan(t *Trial) (bool, int64) {
	if !j.sound() {
		return false, 0
	}
	before, ok1 := t.Counted("after-changed")
	after, ok2 := t.Counted("settled")
	return ok1 && ok2 && after.N > before.N, after.N - before.N
}
