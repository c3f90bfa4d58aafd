package probe

import "github.com/idem-toolkit/idem/internal/fingerprint"

// conflictUnseen accuses where a stored refusal hides a conflict: the corrected
// request differs in what the fingerprint covers, the conflict's answer is
// promised for that, and it was given the refusal of the first. That it is the
// stored one is shown by a marker, or by an answer that another key's request
// did not get. Without either the API may refuse the corrected request too.
func (j *judging) conflictUnseen(f failure) bool {
	if !j.sameForAnother(f) || !j.controls.Answers || j.environmental(f.t, f.next) {
		return false
	}
	marked := j.rules.marked(f.next) && !j.rules.marked(f.failing)
	if !marked && (f.elsewhere.status() != f.failing.status() || !j.rules.varies(f.failing, f.elsewhere)) {
		return false
	}
	c := j.op.Promise.Conflict
	j.accuse(f.t, Finding{Slug: j.slug("conflict-not-seen"), Case: f.class, Expected: c.Value.Match.String(),
		Actual: "the corrected request got the stored failure: " + j.rules.describe(f.next), Follows: j.follows("conflict/first-result-returned")},
		c.Pos, "another body under a key that is taken is refused as a conflict, whatever is stored under it")
	return true
}

// sameForAnother says that a corrected request, for which the conflict's answer
// is promised where the key is taken, got the very answer of the refused one.
func (j *judging) sameForAnother(f failure) bool {
	return f.class == "4xx" && j.op.Promise.Conflict.Value.Match != nil && f.next.Whole() && !j.rules.class(f.next).conflict &&
		len(j.rules.differences(f.failing, f.next)) == 0 && j.otherCovered(f.failing, f.next)
}

// otherCovered says that the bodies of two requests differ in a value that the
// contract's fingerprint covers.
func (j *judging) otherCovered(one, two *Exchange) bool {
	if one.Request == nil || two.Request == nil {
		return false
	}
	a, errA := fingerprint.Parse(bodyOf(one.Request.Body))
	b, errB := fingerprint.Parse(bodyOf(two.Request.Body))
	if errA != nil || errB != nil {
		return one.Request.Body.SHA256 != two.Request.Body.SHA256 && len(leftOut(j.op)) == 0 && len(j.op.Promise.Conflict.Value.Covers) == 0
	}
	x, y := j.coveredValues(a), j.coveredValues(b)
	for at, v := range x {
		if w, there := y[at]; !there || w != v {
			return true
		}
	}
	return len(x) != len(y)
}

// coveredValues are the scalars that the fingerprint covers, by their pointers.
func (j *judging) coveredValues(v *fingerprint.Value) map[string]string {
	out := map[string]string{}
	walkValues(v, "", func(at string, v *fingerprint.Value) {
		if text := scalarText(v); text != "" && covered(j.op, at) {
			out[at] = text
		}
	})
	return out
}
