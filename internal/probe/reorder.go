package probe

import (
	"bytes"

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
		b.plan.Idle = Reason{Text: "promise.reorder is not stated", Line: p.Pos.Line}
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
		b.appear("after-first", original),
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
	if len(j.history.Trials) == 0 {
		j.unsure(j.op.Request.Pos.Line, "give the request a JSON body", "the body has no other spelling")
	}
	for _, t := range j.history.Trials {
		findings, reasons := len(j.result.Findings), len(j.result.Reasons)
		c := Case{Name: t.Name, Verdict: Pass}
		j.judgeSpelling(t)
		switch {
		case len(j.result.Findings) > findings:
			c.Verdict = Fail
		case len(j.result.Reasons) > reasons:
			c.Verdict = Inconclusive
		}
		j.result.Cases = append(j.result.Cases, c)
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
	if j.environmental(t, respelt) || j.environmental(t, again) {
		return
	}
	p := j.op.Promise
	f := Finding{Case: t.Name, Actual: j.rules.describe(respelt)}
	ran := false
	if e, ok := j.counts(t, "before", "", "settled"); ok && e.Settled-e.Before > e.Unit {
		ran = true
		f.Slug, f.Follows = "reorder/effect-ran-twice", j.follows("duplicate/effect-ran-twice")
		f.Expected = "effects for one operation: " + itoa(e.Unit)
		f.Actual = "effects counted: " + itoa(e.Settled-e.Before)
		j.accuseKind(t, f, p.Reorder.Pos, "another spelling of the same request does not run again")
	}
	if p.Reorder.Value == "bytes" {
		if !ran && !j.rules.class(respelt).conflict {
			f.Slug, f.Expected = "reorder/accepted-as-same", "the conflict's answer: the bytes differ"
			j.accuseKind(t, f, p.Reorder.Pos, "requests are the same only if their bytes are")
		}
		return
	}
	shown, _ := told(j.rules.replay(first, respelt))
	if len(shown) == 0 || ran {
		return
	}
	f.Expected = j.expectedDuplicate()
	f.Slug = "reorder/refused"
	if j.rules.accepted(respelt) {
		f.Slug, f.Actual = "reorder/other-answer", list(shown)
		f.Follows = j.follows("duplicate/other-answer")
	} else if j.follows("duplicate/refused") != "" {
		f.Follows = "duplicate/refused"
	}
	j.accuseKind(t, f, p.Reorder.Pos, "the same JSON in another spelling is the same request")
}
