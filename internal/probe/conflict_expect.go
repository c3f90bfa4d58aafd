package probe

import (
	"cmp"
	"fmt"
)

// expectRefusal: the contract names the conflict's answer. It gives the slug
// of what is wrong. Ran says whether the changed request had an effect, and n
// how large.
func (j *judging) expectRefusal(t *Trial, name string, first, changed *Exchange, ran bool, n int64) string {
	p := j.op.Promise
	c := j.rules.class(changed)
	f := Finding{Case: name, Expected: p.Conflict.Value.Match.String(), Actual: j.rules.describe(changed)}
	shown, _ := told(j.rules.differences(first, changed))
	switch {
	case c.conflict && ran:
		f.Slug, f.Expected = "conflict/changed-body-ran", "no effect of the changed body"
		f.Actual = fmt.Sprintf("it was refused, yet effects rose by %d", n)
	case c.conflict:
		return ""
	case ran:
		f.Slug = "conflict/changed-body-ran"
		f.Actual += fmt.Sprintf(", and effects rose by %d", n)
		f.Follows = j.follows("duplicate/effect-ran-twice")
	case c.welcome && (len(shown) == 0 || j.sound()):
		// With a sound counter nothing ran: whatever was answered is an old
		// result. Without one only the same answer shows it.
		f.Slug = "conflict/first-result-returned"
		if len(shown) > 0 {
			f.Actual += ", without an effect of its own"
		}
	case c.welcome:
		f.Slug = "conflict/changed-body-ran"
	case c.duplicate:
		f.Slug = "conflict/first-result-returned"
	default:
		f.Slug = "conflict/wrong-answer"
	}
	if f.Slug == "conflict/first-result-returned" {
		j.notCovered(name)
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

// warmRan says the same of the changed body that came after a replay.
func (j *judging) warmRan(t *Trial) (bool, int64) {
	if !j.sound() {
		return false, 0
	}
	rose := int64(0)
	before, ok1 := t.Counted("after-again")
	after, ok2 := t.Counted("settled")
	if ok1 && ok2 && !j.rules.class(t.Last("warm")).conflict {
		rose = max(after.N-before.N, 0)
	}
	none, ok1 := t.Counted("changed-effects")
	own, ok2 := t.Counted("settled-changed")
	if ok1 && ok2 {
		rose += max(own.N-none.N, 0)
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
		j.notCovered(name)
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
	if ran, n := j.originalRan(t, wrong != ""); ran {
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

// originalRan says whether the original sent again had an effect, and how
// large. What rises later still is its own too, unless the changed request
// that follows it was not refused, or ran before although it was.
func (j *judging) originalRan(t *Trial, changedRan bool) (bool, int64) {
	if !j.sound() {
		return false, 0
	}
	none, ok0 := t.Counted("before")
	before, ok1 := t.Counted("after-changed")
	after, ok2 := t.Counted("settled")
	if warm := t.Last("warm"); warm != nil && (changedRan || !j.rules.class(warm).conflict) {
		after, ok2 = t.Counted("after-again")
	}
	rose := after.N - max(before.N, none.N+j.controls.Unit) // some of the first's may be counted late
	return ok0 && ok1 && ok2 && rose > 0, rose
}
