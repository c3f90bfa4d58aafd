package probe

import (
	"cmp"
	"fmt"
	"slices"
)

func judgeReplicas(j *judging) {
	if !j.op.Promise.Duplicate.Known {
		j.unknown("duplicate", j.op.Promise.Duplicate.Pos)
		return
	}
	j.tellable()
	in := j.instances()
	c := &crossings{in: in, across: map[string]int{}}
	races := splits(in.urls)
	if balanced(j.contract) {
		races = balancedRaces()
		j.judgeBalanced(c)
	} else {
		j.judgeChosen(c)
	}
	var tally raceTally
	for _, r := range races {
		j.judgeSplit(c, j.history.Trial(r.name), &tally)
	}
	j.judgeLost(&tally)
	j.measureRaces(&tally)
	j.showReleases(&tally)
	if tally.overlapped == 0 && len(j.result.Findings) == 0 {
		j.nothingRaced(&tally)
		c.forget(racesAcross)
	}
	j.judgeCrossings(c, len(tally.all))
}

// judgeChosen judges the replicas that have a URL each.
func (j *judging) judgeChosen(c *crossings) {
	for _, w := range journeys(c.in.urls) {
		t := j.history.Trial(w.name())
		before := j.mark()
		j.judgeJourney(t)
		j.crossed(c, retriesAcross, t, before, "retry")
	}
	for _, name := range []string{acrossConflict, backConflict} {
		if t := j.history.known(name); t != nil {
			before := j.mark()
			j.judgeAcross(t)
			j.crossed(c, bodiesAcross, t, before, "changed")
		}
	}
	j.judgeCallers(c, callersOver())
}

// judgeCallers judges those experiments with another caller's request that were
// carried out.
func (j *judging) judgeCallers(c *crossings, all []neighbour) {
	for _, n := range all {
		if t := j.history.known(n.trial); t != nil {
			j.judgeCallerAcross(c, t, n)
		}
	}
}

// judgeCallerAcross judges another caller's request at another replica.
func (j *judging) judgeCallerAcross(c *crossings, t *Trial, n neighbour) {
	before := j.mark()
	m, why := j.meet(t, n)
	if why != "" {
		j.examined(Case{Name: n.trial, Verdict: Inconclusive, Text: why}, before)
		return
	}
	j.judgeScoped(t, n, m)
	if n.family != "" {
		j.wandered(t, "retried", func(x *Exchange) { j.judgeCallersRetry(t, n, m, x) })
		j.wandered(t, "again", func(x *Exchange) { j.judgeElsewhere(t, m.first, x, "") })
	}
	j.crossed(c, callersAcross, t, before, "neighbour", "retried", "retried"+inCopies)
}

// judgeCallersRetry judges what the other caller's own retry got at some instance.
func (j *judging) judgeCallersRetry(t *Trial, n neighbour, m met, x *Exchange) {
	promise := "a key is unique to its caller: another caller's request under it is an operation of its own"
	if leak := j.rules.leaks(m.first, m.control, x, m.prior); leak != "" {
		j.accuse(t, Finding{Slug: j.slug("other-callers-result"), Case: n.trial, Follows: j.followsScope(),
			Expected: "nothing of the first caller's result", Actual: j.rules.describe(x) + ", with " + leak}, j.op.Promise.ScopePos, promise)
		return
	}
	if j.rules.class(m.other).welcome {
		j.judgeElsewhere(t, m.other, x, j.followsScope())
	}
}

// judgeJourney judges a key that went to one replica, to another and back.
func (j *judging) judgeJourney(t *Trial) {
	first, ok := j.first(t, "first")
	if !ok || j.lapsed(t) {
		return
	}
	retry, back := t.Last("retry"), t.Last("back")
	if retry == nil || back == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	wrong := j.ranAcross(t)
	for _, x := range []*Exchange{retry, back} {
		if j.final(t, x, "back", "settled") && !j.environmental(t, x) {
			j.judgeElsewhere(t, first, x, wrong)
		}
	}
}

// ranAcross judges the counts of a key that several replicas saw, and gives the
// slug of what they show to be wrong; "" where nothing is.
func (j *judging) ranAcross(t *Trial) string {
	e, ok := j.counts(t, "before", "", "settled")
	if !ok || e.Settled-e.Before == e.Unit {
		return ""
	}
	f := Finding{Slug: "replicas/effect-ran-twice", Case: t.Name, Follows: j.follows("duplicate/effect-ran-twice"),
		Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(e.Settled-e.Before)}
	if e.Settled-e.Before < e.Unit {
		f.Slug, f.Follows = "replicas/effect-missing", j.follows("duplicate/effect-missing")
	}
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, "replicas share what they know of a key")
	return f.Slug
}

// judgeElsewhere judges a retry's answer, whichever replica gave it. Wrong is
// what was found before that it may come from.
func (j *judging) judgeElsewhere(t *Trial, first, x *Exchange, wrong string) {
	differences := j.rules.replay(first, x)
	if m := j.op.Promise.Marker; m != nil && len(differences) == 0 && j.op.Promise.Duplicate.Value.Mode == "replay" && !j.rules.marked(x) {
		differences = []difference{{what: "the marker " + m.Header, a: "promised on every replay", b: "absent"}}
		wrong = cmp.Or(wrong, j.follows("duplicate/marker-missing"))
	}
	shown := j.shown(differences)
	if len(shown) == 0 {
		return
	}
	f := Finding{Slug: "replicas/other-answer", Case: t.Name, Expected: j.expectedDuplicate(), Actual: list(shown),
		Follows: cmp.Or(wrong, j.followsDuplicate())}
	if c := j.rules.class(x); c.none || !c.welcome {
		f.Slug, f.Actual = "replicas/refused", j.rules.describe(x)
	}
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, "every replica gives a key's result")
}

// judgeAcross judges another body under a key that another replica has seen.
func (j *judging) judgeAcross(t *Trial) {
	first, ok := j.first(t, "first")
	if !ok || j.lapsed(t) {
		return
	}
	changed, again, warm := t.Last("changed"), t.Last("again"), t.Last("changed-again")
	if changed == nil || again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	if !j.final(t, changed, "again", "settled") || j.environmental(t, changed) {
		return
	}
	if j.rules.class(changed).conflict && warm.Whole() && !j.rules.class(warm).conflict && !j.environmental(t, warm) {
		changed = warm // refused until the replica had replayed the result
	}
	if j.judgeChangedAcross(t, changed) && j.final(t, again, "settled") && !j.environmental(t, again) {
		j.judgeOriginalAcross(t, first, again)
	}
}

// judgeChangedAcross judges what another body got, and says whether that is the
// conflict's answer and nothing ran.
func (j *judging) judgeChangedAcross(t *Trial, changed *Exchange) bool {
	var follows string
	for _, slug := range []string{"conflict/changed-body-ran", "conflict/first-result-returned", "conflict/wrong-answer"} {
		follows = cmp.Or(follows, j.follows(slug))
	}
	p := j.op.Promise.Conflict
	f := Finding{Slug: "replicas/conflict-not-seen", Case: t.Name, Follows: follows, Expected: p.Value.Match.String(), Actual: j.rules.describe(changed)}
	before, ok1 := t.Counted("changed-before")
	after, ok2 := t.Counted("settled-changed")
	ran := j.sound() && ok1 && ok2 && after.N > before.N
	if ran {
		f.Actual += fmt.Sprintf(", and effects rose by %d", after.N-before.N)
	}
	if !ran && j.rules.class(changed).conflict {
		return true
	}
	j.accuse(t, f, p.Pos, "the same key with another body is refused as declared, at whichever replica")
	return false
}

// judgeOriginalAcross judges the original sent again after the conflict.
func (j *judging) judgeOriginalAcross(t *Trial, first, again *Exchange) {
	if shown := j.shown(j.rules.replay(first, again)); len(shown) > 0 {
		j.accuse(t, Finding{Slug: "replicas/other-answer", Case: t.Name, Expected: j.expectedDuplicate(), Actual: list(shown),
			Follows: cmp.Or(j.followsDuplicate(), j.toldAlready("replicas/effect-ran-twice"))}, j.op.Promise.Duplicate.Pos, "every replica gives a key's result")
	}
}

// toldAlready gives the slug where the step has a finding of it.
func (j *judging) toldAlready(slug string) string {
	if slices.ContainsFunc(j.result.Findings, func(f Finding) bool { return f.Slug == slug }) {
		return slug
	}
	return ""
}
