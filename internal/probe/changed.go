package probe

import (
	"cmp"
	"fmt"
)

func judgeConflict(j *judging) {
	p := j.op.Promise
	if !p.Conflict.Known {
		j.unknown("conflict", p.Conflict.Pos)
		return
	}
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	proved, tried := 0, 0
	for i := range mostMutations {
		t := j.history.known(changeName(i))
		if t == nil {
			continue
		}
		tried++
		before := j.mark()
		c := Case{Name: t.Name}
		if x := t.Last("changed"); x != nil && x.Request != nil {
			c.Name = x.Request.Change
		}
		proof, why := j.judgeMutation(t, c.Name)
		if proof {
			proved++
		} else {
			c.Verdict, c.Text = Inconclusive, why
		}
		j.examined(c, before)
	}
	j.measure("changes", fmt.Sprintf("%d tried, %d proved", tried, proved), some(tried, "changed body", "changed bodies")+" tried")
	if all, err := coveredLeaves(j.op); err == nil && len(all) > mostMutations {
		j.note("only the first %d of the body's %d values were changed", mostMutations, len(all))
	}
	j.control("mutation", proved > 0, "%d of %d changed bodies are accepted under keys of their own", proved, tried)
	if proved == 0 && len(j.result.Reasons) == 0 {
		j.unsure(j.op.Request.Pos.Line, "give the request a body in which some value may be changed",
			"no changed body is accepted under its own key: a refusal proves nothing")
	}
}

// judgeMutation judges one changed body. Proof is false where the control says
// that it proves nothing; why tells that.
func (j *judging) judgeMutation(t *Trial, name string) (proof bool, why string) {
	first, ok := j.first(t, "first")
	if !ok {
		return false, "the original was not accepted"
	}
	if j.lapsed(t) {
		return false, "too late"
	}
	if why := j.mutationControl(t); why != "" {
		return false, why
	}
	changed, again := t.Last("changed"), t.Last("again")
	if changed == nil || again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", name)
		return false, "not sent"
	}
	if !j.final(t, changed, "after-changed", "again") || !j.final(t, again, "settled") ||
		j.environmental(t, changed) || j.environmental(t, again) {
		return false, "not shown"
	}
	var wrong string
	switch j.op.Promise.Conflict.Value.Mode {
	case "replay":
		wrong = j.expectFirstResult(t, name, first, changed)
	case "execute":
		wrong = j.expectOwnRun(t, name, first, changed)
	default:
		wrong = j.expectRefusal(t, name, first, changed)
	}
	j.judgeOriginal(t, name, first, again, wrong)
	if _, ok := j.counts(t, "before", "after-changed", "settled"); ok && wrong == "" {
		if _, final := t.reading("final"); !final {
			j.early(t, "after-changed")
		}
	}
	for _, label := range []string{"changed-before", "changed-effects"} {
		if c, ok := t.Counted(label); j.sound() && !ok && c.Error != "" {
			j.unsure(0, "see why the counter failed", "%s: the counter gave nothing for %q: %s", t.Name, label, c.Error)
		}
	}
	return true, ""
}

// mutationControl says why a changed body proves nothing: under its own key,
// with new fresh values, it is not accepted, or has no effect ("" where it is
// and has). A plain validation refuses it under any key.
func (j *judging) mutationControl(t *Trial) string {
	control := t.Last("control")
	if j.environmental(t, control) {
		return "the environment"
	}
	if !j.rules.class(control).welcome {
		return "validated first: under its own key the changed body gets " + j.rules.describe(control)
	}
	if c, ok := t.Counted("control-effects"); j.sound() && ok && c.N == 0 {
		return "validated first: under its own key the changed body has no effect"
	}
	return ""
}

// expectRefusal: the contract names the conflict's answer. It gives the slug
// of what is wrong.
func (j *judging) expectRefusal(t *Trial, name string, first, changed *Exchange) string {
	p := j.op.Promise
	ran, n := j.changedRan(t)
	f := Finding{Case: name, Expected: p.Conflict.Value.Match.String(), Actual: j.rules.describe(changed)}
	shown, _ := told(j.rules.differences(first, changed))
	switch {
	case j.rules.class(changed).conflict && ran:
		f.Slug, f.Expected = "conflict/changed-body-ran", "no effect of the changed body"
		f.Actual = fmt.Sprintf("it was refused, yet effects rose by %d", n)
	case j.rules.class(changed).conflict:
		return ""
	case ran:
		f.Slug = "conflict/changed-body-ran"
		f.Actual += fmt.Sprintf(", and effects rose by %d", n)
		f.Follows = j.follows("duplicate/effect-ran-twice")
	case j.rules.class(changed).welcome && (len(shown) == 0 || j.sound()):
		// With a sound counter nothing ran: whatever was answered is an old
		// result. Without one only the same answer shows it.
		f.Slug = "conflict/first-result-returned"
		if len(shown) > 0 {
			f.Actual += ", without an effect of its own"
		}
	case j.rules.class(changed).welcome:
		f.Slug = "conflict/changed-body-ran"
	case j.rules.class(changed).duplicate:
		f.Slug = "conflict/first-result-returned"
	default:
		f.Slug = "conflict/wrong-answer"
	}
	j.accuse(t, f, p.Conflict.Pos, "the same key with another body is refused as declared")
	return f.Slug
}

// changedRan says whether the changed body had an effect, and how large. The
// original's own is taken as the control's unit: some of it may be counted late.
func (j *judging) changedRan(t *Trial) (bool, int64) {
	before, ok1 := t.Counted("before")
	after, ok2 := t.Counted("after-changed")
	if !j.sound() || !ok1 || !ok2 {
		return false, 0
	}
	first, _ := t.Counted("after-first")
	rose := max(after.N-max(first.N, before.N+j.controls.Unit), 0)
	if own, ok := t.Counted("changed-effects"); ok {
		none, _ := t.Counted("changed-before")
		rose += own.N - none.N
	}
	return rose > 0, rose
}

// expectFirstResult: the contract says that only the key matters.
func (j *judging) expectFirstResult(t *Trial, name string, first, changed *Exchange) string {
	p := j.op.Promise
	f := Finding{Case: name, Expected: "the first result", Actual: j.rules.describe(changed)}
	ran, n := j.changedRan(t)
	shown := j.shown(j.rules.replay(first, changed))
	switch {
	case ran:
		f.Slug, f.Actual = "conflict/changed-body-ran", f.Actual+fmt.Sprintf(", and effects rose by %d", n)
		f.Follows = j.follows("duplicate/effect-ran-twice")
	case len(shown) == 0:
		return ""
	case !j.rules.class(changed).welcome:
		f.Slug = "conflict/refused-not-promised"
	default:
		f.Slug, f.Actual = "conflict/wrong-answer", list(shown)
	}
	j.accuse(t, f, p.Conflict.Pos, "the same key gets the first result whatever the body")
	return f.Slug
}

// expectOwnRun: the contract says that another body is another operation.
func (j *judging) expectOwnRun(t *Trial, name string, first, changed *Exchange) string {
	p := j.op.Promise
	f := Finding{Case: name, Expected: "a result of its own", Actual: j.rules.describe(changed)}
	ran, _ := j.changedRan(t)
	shown, _ := told(j.rules.differences(first, changed))
	switch {
	case !j.rules.class(changed).welcome:
		f.Slug = "conflict/refused-not-promised"
	case j.sound() && !ran, !j.sound() && j.controls.Vary && len(shown) == 0:
		f.Slug = "conflict/first-result-returned"
	case len(shown) == 0:
		j.tellable()
		return ""
	default:
		return ""
	}
	j.accuse(t, f, p.Conflict.Pos, "the same key with another body is an operation of its own")
	return f.Slug
}

// judgeOriginal judges the original sent again after the conflict. Wrong is
// what was found of the changed body: what follows from its run says so.
func (j *judging) judgeOriginal(t *Trial, name string, first, again *Exchange, wrong string) {
	p := j.op.Promise
	if wrong != "conflict/changed-body-ran" {
		wrong = ""
	}
	if ran, n := j.originalRan(t); ran {
		j.accuse(t, Finding{Slug: "conflict/effect-ran-twice", Case: name,
			Follows:  cmp.Or(j.follows("duplicate/effect-ran-twice"), wrong),
			Expected: "no effect of the original sent again", Actual: fmt.Sprintf("effects rose by %d", n)},
			p.Conflict.Pos, "after a conflict the original still has its one effect")
		return
	}
	shown := j.shown(j.rules.replay(first, again))
	if len(shown) == 0 {
		return
	}
	j.accuse(t, Finding{Slug: "conflict/record-replaced", Case: name, Follows: cmp.Or(j.followsDuplicate(), wrong),
		Expected: j.expectedDuplicate(), Actual: list(shown)}, p.Conflict.Pos, "a conflict leaves the original's record as it was")
}

func (j *judging) originalRan(t *Trial) (bool, int64) {
	if !j.sound() {
		return false, 0
	}
	before, ok1 := t.Counted("after-changed")
	after, ok2 := t.Counted("settled")
	return ok1 && ok2 && after.N > before.N, after.N - before.N
}
