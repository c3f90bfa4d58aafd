package probe

// judgeShapeAfterKill judges the retry's result where nobody saw the first
// one: whatever it holds, it has the shape of the operation's other results.
func (j *judging) judgeShapeAfterKill(t *Trial, k killed, f Finding) {
	known := j.shapes()
	got := j.rules.shapeOf(k.retry.Answer)
	if j.op.Promise.Duplicate.Value.Mode == "current" {
		known, got = presentStates(known, got)
	}
	wrong := misshapen(known, got)
	if wrong == "" {
		return
	}
	f.Slug, f.Expected = "crash/result-lost", "a result like those of operations that were not interrupted"
	f.Actual = wrong + ", " + j.story(k)
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, "after a crash the retry gets the operation's result")
}

// presentStates leaves of shapes what a present state shares with a first
// answer: the kind of its body. A first answer without a body tells nothing of
// the state that a duplicate is shown.
func presentStates(firsts []shape, got shape) (known []shape, _ shape) {
	for _, s := range firsts {
		if s.kind != "nothing" || got.kind == "nothing" {
			known = append(known, shape{kind: s.kind})
		}
	}
	return known, shape{kind: got.kind}
}

// judgeSecondRetry judges the retry's bytes sent once more: a duplicate of the
// retry like any other, of a record that the crash may have left half made.
func (j *judging) judgeSecondRetry(t *Trial, k killed, f Finding) {
	switch {
	case k.again == nil:
		if !j.history.Whole && !j.rules.unsettled(k.retry) {
			j.unsure(0, "run it again to the end", "%s: the run ended before the second retries", t.Name)
		}
		return
	case !j.final(t, k.again, "after-"+k.index, "settled-"+k.index) || j.environmental(t, k.again):
		return
	}
	shown := j.shown(j.rules.replay(k.retry, k.again))
	if len(shown) == 0 {
		return
	}
	c := j.rules.class(k.again)
	f.Follows = j.followsDuplicate()
	f.Slug, f.Expected, f.Actual = "crash/result-lost", "the retry's result again", "the second retry got "+j.rules.describe(k.again)+", "+j.story(k)
	switch {
	case j.rules.blocked(k.again):
		f.Slug = "crash/stuck-in-progress"
	case c.trouble:
		f.Slug = "crash/refused"
	case c.welcome && j.op.Promise.Duplicate.Value.Mode != "answer":
		f.Slug, f.Actual = "crash/result-changed", "between two retries "+list(shown)+", "+j.story(k)
	}
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, "after a crash every retry gets one result")
}
