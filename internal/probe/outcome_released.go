package probe

// judgeReleasedRefusal: a refusal frees its key, so that the corrected request
// runs under it.
func (j *judging) judgeReleasedRefusal(f failure) {
	const expected = "a free key: the corrected request runs under it"
	again, next := j.rules.class(f.again), j.rules.class(f.next)
	same := f.failing.Whole() && f.again.Whole() && len(j.rules.differences(f.failing, f.again)) == 0
	stored := same && (j.rules.marked(f.again) && !j.rules.marked(f.failing) ||
		f.elsewhere.status() == f.failing.status() && j.rules.varies(f.failing, f.elsewhere))
	switch {
	case stored:
		j.accuseFailure(f, "not-released", expected, "the same bytes got the stored failure", "")
		return
	case again.none || again.trouble || f.again.status() >= 500:
		if !j.environmental(f.t, f.again) {
			j.accuseFailure(f, "refused", "the failure again", j.rules.describe(f.again), "")
		}
		return
	case f.next == nil || !j.controls.Answers:
		j.unsure(j.op.Request.Pos.Line, "make the contract's request one that the API accepts", "%s: no corrected request was accepted", f.class)
		return
	case !j.final(f.t, f.next, "settled-corrected") || j.environmental(f.t, f.next):
		return
	case !next.welcome:
		slug := "not-released"
		if j.rules.blocked(f.next) && !next.conflict {
			slug = "stuck"
		}
		j.accuseFailure(f, slug, expected, "the corrected request got "+j.rules.describe(f.next), "")
		return
	}
	j.judgeCorrected(f)
}

// judgeCorrected judges the effects of a corrected request that was accepted
// under the refused one's key, and its retry: it is an operation like any other,
// and whoever frees a key for it must record what it made.
func (j *judging) judgeCorrected(f failure) {
	again := j.sentInTime(f.t, f.failing, "corrected-again")
	if again == nil && len(f.t.Under("corrected-again")) > 0 {
		return
	}
	wrong := ""
	if j.sound() && !j.anyLate(f.t, f.failing, "corrected-again") {
		wrong, _ = j.tally(f.t, f.class+", corrected", j.controls.Unit, true, false, [3]string{"corrected-before", "", "settled-corrected"})
	}
	if j.judgeRetried(f.t, f.class+", the corrected request again", f.next, again, wrong, "settled-corrected") == "" && again != nil {
		j.tellable()
	}
}

// judgeReleasedFailure: a failure frees its key, so that the retry runs.
func (j *judging) judgeReleasedFailure(f failure, wrong string) {
	const expected = "a free key: the retry runs"
	again, next := j.rules.class(f.again), j.rules.class(f.next)
	switch {
	case again.welcome:
		j.judgeThird(f, wrong)
	case j.elsewhere(f.t, f.again):
	case f.next == nil:
		j.unsure(0, "run the step again", "%s: the request without what makes it fail was not sent", f.class)
	case next.welcome && !j.rules.marked(f.again):
		j.unsure(f.form.Pos.Line, "make request.failing."+f.class+" fail the first time only",
			"%s: the retry failed again (%s), though the key is free: the request without what makes it fail ran", f.class, j.rules.describe(f.again))
	case j.elsewhere(f.t, f.next):
	default:
		slug := "not-released"
		if again.none {
			slug = "refused"
		}
		j.accuseFailure(f, slug, expected, "the retry got "+j.rules.describe(f.again)+
			", and the request without what makes it fail "+j.rules.describe(f.next), j.followsDuplicate())
	}
}

// judgeThird judges the bytes sent once more after a retry that went through:
// a duplicate like any other.
func (j *judging) judgeThird(f failure, wrong string) {
	further := j.sentInTime(f.t, f.failing, "further")
	if further == nil && len(f.t.Under("further")) > 0 {
		return
	}
	if j.judgeRetried(f.t, f.class+", third attempt", f.again, further, wrong, "settled") == "" {
		j.tellable()
	}
}

// judgeAny: nothing is promised but an end.
func (j *judging) judgeAny(f failure, wrong string) {
	again := j.rules.class(f.again)
	switch {
	case again.welcome && f.class == "5xx":
		j.judgeThird(f, wrong)
	case j.conflictUnseen(f):
	case f.class == "4xx" && j.op.Promise.Conflict.Value.Match != nil && j.rules.class(f.next).welcome && j.controls.Answers:
		j.judgeCorrected(f) // the key was free
	case f.again.Whole() && (f.class == "5xx" || f.again.status() < 500):
	case !j.environmental(f.t, f.again):
		j.accuseFailure(f, "refused", "an answer to the failed request's retry", j.rules.describe(f.again), "")
	}
}
