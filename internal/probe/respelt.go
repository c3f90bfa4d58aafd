package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func judgeReorder(j *judging) {
	p := j.op.Promise
	if !p.Reorder.Known {
		j.unknown("reorder", p.Reorder.Pos)
		return
	}
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	if p.Reorder.Value == "bytes" && !p.Conflict.Known {
		// Other bytes are another request: what that gets is the conflict's answer.
		j.unknown("conflict", p.Conflict.Pos)
		return
	}
	tried, proved := 0, 0
	var advisory []string
	for _, t := range j.spelt() {
		if t.Name == fractions || t.Name == exponents {
			advisory = append(advisory, t.Name+" ("+j.tellSpelling(t)+")")
			continue
		}
		tried++
		before := j.mark()
		c := Case{Name: t.Name}
		if why := j.judgeSpelling(t); why == "" {
			proved++
		} else {
			c.Verdict, c.Text = Inconclusive, why
		}
		j.examined(c, before)
	}
	if tried == 0 {
		j.unsure(j.op.Request.Pos.Line, "run the step again", "no other spelling of the body was sent")
		return
	}
	j.measure("spellings", fmt.Sprintf("%d tried, %d proved", tried, proved), some(tried, "other spelling", "other spellings")+" tried")
	j.control("mutation", proved > 0, "%d of %d other spellings are accepted under keys of their own", proved, tried)
	if len(advisory) > 0 {
		j.note("not judged: %s", strings.Join(advisory, ", "))
	}
	if proved == 0 && len(j.result.Reasons) == 0 {
		j.unsure(j.op.Request.Pos.Line, "see why the API refuses the same body spelled otherwise",
			"no other spelling is accepted under its own key: a refusal proves nothing")
	}
	if p.Reorder.Value != "bytes" {
		j.tellable()
	}
}

// spelt gives the trials of the step in one order, whatever was sent first.
func (j *judging) spelt() []*Trial {
	out := slices.Clone(j.history.Trials)
	slices.SortStableFunc(out, func(a, b *Trial) int {
		return cmp.Or(cmp.Compare(rankOf(a.Name), rankOf(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return out
}

func rankOf(name string) int {
	if i := slices.Index(spellingNames, name); i >= 0 {
		return i
	}
	return 0 // the members of one object
}

// judgeSpelling judges one spelling, and says why it proves nothing; "" where
// it was judged.
func (j *judging) judgeSpelling(t *Trial) (why string) {
	first, ok := j.first(t, "first")
	if !ok {
		return "the original was not accepted"
	}
	if j.lapsed(t) {
		return "too late"
	}
	if why := j.mutationControl(t, "the other spelling"); why != "" {
		return why
	}
	respelt, again := t.Last("respelt"), t.Last("again")
	if respelt == nil || again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return "not sent"
	}
	if !j.final(t, respelt, "again") || !j.final(t, again, "settled") ||
		j.environmental(t, respelt) || j.environmental(t, again) {
		return "not shown"
	}
	if j.respeltRan(t) {
		return "" // what the answers show beside it comes from that
	}
	if j.op.Promise.Reorder.Value == "bytes" {
		j.expectOtherRequest(t, first, respelt)
	} else {
		j.expectSameRequest(t, "", first, respelt)
	}
	j.expectSameRequest(t, ", then the first spelling", first, again)
	return ""
}

// tellSpelling says what became of a spelling that is not judged: how a number
// is written means nothing in JSON and much to many readers of integers.
func (j *judging) tellSpelling(t *Trial) string {
	first, respelt := t.Last("first"), t.Last("respelt")
	switch {
	case !j.rules.class(first).welcome || !respelt.Whole():
		return "not tried"
	case !j.rules.class(t.Last("control")).welcome:
		return "refused under its own key: " + j.rules.describe(t.Last("control"))
	case j.rules.class(respelt).conflict:
		return "another request"
	}
	if shown, unknown := told(j.rules.replay(first, respelt)); len(shown) == 0 && !unknown {
		return "the same request"
	}
	return "answered otherwise: " + j.rules.describe(respelt)
}

// respeltRan says whether more ran than may have. Under reorder: bytes with
// conflict: execute another spelling is an operation of its own.
func (j *judging) respeltRan(t *Trial) bool {
	p := j.op.Promise
	e, ok := j.counts(t, "before", "", "settled")
	allowed := e.Unit
	if p.Reorder.Value == "bytes" && p.Conflict.Value.Mode == "execute" {
		allowed = 2 * e.Unit
	}
	if !ok || e.Settled-e.Before <= allowed {
		return false
	}
	j.accuse(t, Finding{Slug: "reorder/effect-ran-twice", Case: t.Name, Follows: j.follows("duplicate/effect-ran-twice"),
		Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(e.Settled-e.Before)},
		p.Reorder.Pos, "another spelling of the same request does not run again")
	return true
}

// expectSameRequest: the answer is the duplicate's.
func (j *judging) expectSameRequest(t *Trial, which string, first, x *Exchange) {
	shown := j.shown(j.rules.replay(first, x))
	if len(shown) == 0 {
		return
	}
	f := Finding{Slug: "reorder/refused", Case: t.Name + which, Follows: j.followsDuplicate(),
		Expected: j.expectedDuplicate(), Actual: j.rules.describe(x)}
	if j.rules.class(x).welcome {
		f.Slug, f.Actual = "reorder/other-answer", list(shown)
	}
	j.accuse(t, f, j.op.Promise.Reorder.Pos, "the same body in another spelling is the same request")
}

// expectOtherRequest: other bytes are another body under the same key, and get
// what the contract promises of a conflict.
func (j *judging) expectOtherRequest(t *Trial, first, respelt *Exchange) {
	p := j.op.Promise
	c := j.rules.class(respelt)
	f := Finding{Slug: "reorder/other-answer", Case: t.Name, Actual: j.rules.describe(respelt)}
	switch mode := p.Conflict.Value.Mode; {
	case mode == "answer" && c.conflict:
		return
	case mode == "answer":
		f.Expected = "the conflict's answer, since the bytes differ: " + p.Conflict.Value.Match.String()
		if c.welcome || c.duplicate {
			f.Slug = "reorder/accepted-as-same"
		}
	case mode == "execute":
		f.Expected = "a result of its own, since the bytes differ"
		if c.welcome && !j.sameResult(t, first, respelt) {
			return
		}
		if c.welcome {
			f.Slug = "reorder/accepted-as-same"
		}
	default: // only the key matters, whatever the body
		if len(j.shown(j.rules.replay(first, respelt))) == 0 {
			return
		}
		f.Expected = j.expectedDuplicate()
	}
	j.accuse(t, f, p.Reorder.Pos, "requests are the same only if their bytes are")
}

// sameResult says that a welcome answer is the first one's result, not that of
// a run of its own.
func (j *judging) sameResult(t *Trial, first, x *Exchange) bool {
	if j.sound() {
		before, _ := t.Counted("before")
		settled, ok := t.Counted("settled")
		return ok && settled.N-before.N <= j.controls.Unit
	}
	shown, unknown := told(j.rules.differences(first, x))
	return len(shown) == 0 && !unknown && j.controls.Vary
}
