package probe

import "cmp"

// remembered says whether an answer after the retention is the stored one.
// "Stored" and "run again" can be told apart only by a marker, a changing
// answer or an effect (contract-v1, Steps). Base is the effects counted before
// it, settled the label of the count after it.
func (j *judging) remembered(t *Trial, first, after *Exchange, base int64, settled string) (still, known bool) {
	c := j.rules.class(after)
	ran, counted := false, false
	if j.sound() {
		now, ok := t.Counted(settled)
		ran, counted = ok && now.N > base, ok
		if ok && !ran && j.early(t, settled) {
			return false, false
		}
	}
	switch {
	case j.op.Promise.Duplicate.Value.Mode == "answer" && !j.rules.class(first).duplicate && (!c.inFlight || !c.duplicate):
		return c.duplicate, true // the duplicate's answer, and no first one's
	case counted && !ran:
		return c.welcome || c.duplicate, true // done without a run: the old result
	case counted:
		return j.repliesOld(first, after), true
	}
	return j.rememberedByAnswer(first, after)
}

// repliesOld says that the old result was answered although the effect ran
// again: so do servers that answer first and run then, as their duplicates showed.
func (j *judging) repliesOld(first, after *Exchange) bool {
	shown, unknown := told(j.rules.differences(first, after))
	return len(shown) == 0 && !unknown && j.controls.Vary && j.follows("duplicate/effect-ran-twice") != ""
}

// rememberedByAnswer is remembered where no effects are counted.
func (j *judging) rememberedByAnswer(first, after *Exchange) (still, known bool) {
	if !j.rules.class(after).welcome {
		return false, true
	}
	if shown, _ := told(j.rules.replay(first, after)); len(shown) > 0 {
		return false, true // a result of its own
	}
	shown, unknown := told(j.rules.differences(first, after))
	same := len(shown) == 0 && !unknown
	switch {
	case j.rules.marked(after) && !j.rules.marked(first):
		return true, true // it says so
	case same && j.controls.Vary:
		return true, true // a new run would have been answered otherwise
	case j.op.Promise.Marker != nil && j.op.Promise.Duplicate.Value.Mode == "replay" && j.follows("duplicate/marker-missing") == "":
		return false, true // a replay would carry the marker
	}
	return false, false
}

// answerPromised says that the contract promises what a forgotten key gets.
func (j *judging) answerPromised() bool {
	o := j.op.Promise.AfterRetention
	return o.Known && (o.Value.Match != nil || o.Value.Mode == "execute")
}

// answerAfter judges the answer of a forgotten key where one is promised.
func (j *judging) answerAfter(t *Trial, after *Exchange) {
	o := j.op.Promise.AfterRetention
	f := Finding{Slug: "expiry/wrong-answer", Actual: j.rules.describe(after)}
	switch {
	case !o.Known || o.Value.Mode == "any":
		return
	case o.Value.Match != nil:
		if after.Whole() && j.rules.matches(o.Value.Match, after.Answer) {
			return
		}
		f.Expected = o.Value.Match.String()
	case j.rules.class(after).welcome && !j.allMarked(t.Under("after")):
		return
	case j.rules.class(after).welcome:
		f.Expected, f.Actual = "a new operation and its answer", "it ran, and every copy was answered with the marker of a replay"
		f.Follows = cmp.Or(j.follows("duplicate/effect-ran-twice"), j.follows("duplicate/marker-on-first"))
	default:
		f.Expected = "a new operation"
	}
	j.accuse(t, f, o.Pos, "after the retention the key is answered as declared")
}

// allMarked says that no copy got a first answer, where that has no marker: one
// of them would have, had the result been that of the run that was counted.
func (j *judging) allMarked(copies []*Exchange) bool {
	if !j.sound() || j.op.Promise.Marker == nil || j.op.Promise.Duplicate.Value.Mode != "replay" || !allWhole(copies) {
		return false
	}
	for _, x := range copies {
		if !j.rules.class(x).welcome || !j.rules.marked(x) {
			return false
		}
	}
	return len(copies) > 0
}

func allWhole(copies []*Exchange) bool {
	for _, x := range copies {
		if !x.Whole() {
			return false
		}
	}
	return true
}
