package probe

import (
	"bytes"
	"fmt"

	"github.com/idem-toolkit/idem/internal/contract"
)

// reorderStep sends the same JSON value in other spellings under the same key:
// members in another order, white space, escapes.
var reorderStep = Step{
	Name:  "reorder",
	What:  "another spelling of the same JSON is the same request, or is not, as promised",
	plan:  planReorder,
	judge: judgeReorder,
}

type spelling struct {
	name  string
	style jsonStyle
}

var spellings = []spelling{
	{"member order", jsonStyle{reverse: true}},
	{"white space", jsonStyle{spaces: true}},
	{"escapes", jsonStyle{escapes: true}},
	{"all together", jsonStyle{reverse: true, spaces: true, escapes: true}},
}

func planReorder(b *builder) {
	p := b.op.Promise.Reorder
	switch {
	case !p.Known:
		b.plan.Idle = Reason{Text: "promise.reorder is not stated", Line: p.Pos.Line, Settle: stating("reorder")}
		return
	case p.Value == "any":
		b.plan.Idle = Reason{Text: "declared as not promised (reorder: any)", Line: p.Pos.Line}
		b.plan.Excused = true
		return
	case b.op.Request.Body.Kind != contract.JSONBody:
		b.plan.Idle = Reason{Text: "the body is not JSON: there is no other spelling of it", Line: b.op.Request.Pos.Line}
		b.plan.Excused = true
		return
	}
	for _, s := range spellings {
		b.planSpelling(s)
	}
	if len(b.plan.Threads) == 0 && b.err == nil {
		b.plan.Idle = Reason{Text: "the body has no other spelling", Line: b.op.Request.Pos.Line}
		b.plan.Excused = true
	}
}

func (b *builder) planSpelling(s spelling) {
	original := b.make(s.name)
	first := b.freeze(s.name+"/original", original, "")
	var other bytes.Buffer
	writeJSON(&other, original.draft.tree, s.style)
	if bytes.Equal(other.Bytes(), original.draft.bytes()) {
		b.plan.Requests = b.plan.Requests[:len(b.plan.Requests)-1]
		b.plan.Makes--
		return // this body has no such other spelling
	}
	respelt := b.freezeBytes(s.name+"/respelt", b.with(original), s.name, other.Bytes())
	b.thread(s.name, join(
		b.count("before", original),
		[]Action{comeBack("first", first, patience(b.op))},
		b.above("after-first", "before", original),
		[]Action{b.comeBackOrConflict("respelt", respelt)},
		[]Action{comeBack("again", first, patience(b.op))},
		b.settled("settled", original),
		[]Action{b.environment(s.name, 2, NoHold, "first", "respelt", "again")},
	)...)
}

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
	tried := 0
	for _, s := range spellings {
		t := j.history.known(s.name)
		if t == nil {
			continue
		}
		tried++
		before := j.mark()
		j.judgeSpelling(t)
		j.examined(Case{Name: t.Name}, before)
	}
	if tried == 0 {
		j.unsure(j.op.Request.Pos.Line, "run the step again", "no other spelling of the body was sent")
		return
	}
	j.measure("spellings", fmt.Sprintf("%d tried", tried), some(tried, "other spelling", "other spellings")+" tried")
	if p.Reorder.Value != "bytes" {
		j.tellable()
	}
}

func (j *judging) judgeSpelling(t *Trial) {
	first, ok := j.first(t, "first")
	if !ok || j.lapsed(t) {
		return
	}
	respelt, again := t.Last("respelt"), t.Last("again")
	if respelt == nil || again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	if !j.final(t, respelt, "again") || !j.final(t, again, "settled") ||
		j.environmental(t, respelt) || j.environmental(t, again) {
		return
	}
	if j.respeltRan(t) {
		return // what the answers show beside it comes from that
	}
	if j.op.Promise.Reorder.Value == "bytes" {
		j.expectOtherRequest(t, first, respelt)
	} else {
		j.expectSameRequest(t, "", first, respelt)
	}
	j.expectSameRequest(t, ", then the first spelling", first, again)
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
	j.accuse(t, f, j.op.Promise.Reorder.Pos, "the same JSON in another spelling is the same request")
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
