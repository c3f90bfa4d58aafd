package probe

import "github.com/idem-toolkit/idem/internal/contract"

// outcomeStep makes requests fail and retries them: what becomes of a failure
// is stored, or lets go of its key, as promise.stored says, and nothing leaves
// the key in flight.
var outcomeStep = Step{
	Name:  "outcome",
	What:  "a failure is stored, or frees its key, as promised, and its retry has one effect",
	plan:  planOutcome,
	judge: judgeOutcome,
	lacks: func(_ *contract.Contract, op *contract.Operation) Reason {
		if len(op.Request.Failing) > 0 {
			return Reason{}
		}
		return Reason{Text: "request.failing is not given: how a request is made to fail is unknown", Line: op.Request.Pos.Line,
			Settle: `add request.failing, such as {"4xx": {body: {...}}, "5xx": {headers: {X-Test-Fail: once}}}`}
	},
}

// failures are the classes of failure in the order in which they are tried.
var failures = [...]string{"4xx", "5xx"}

func planOutcome(b *builder) {
	for _, class := range failures {
		if v, ok := b.op.Request.Failing[class]; ok {
			b.planFailure(class, v)
		}
	}
}

// planFailure plans one class: the failing request, the same bytes again, once
// more what a caller does next, and controls. What comes next is a corrected
// request after a 4xx, in new values, since a key that is free takes any
// request, and its retry where it is accepted; after a 5xx, where the retry has failed too, the same request
// without what makes it fail, and else the same bytes a third time.
func (b *builder) planFailure(class string, v contract.Variant) {
	f := b.variantForm(v)
	op := b.makeAs(class, f)
	id := b.freeze(class+"/first", op, "")
	other := b.makeAs(class+"/elsewhere", f)
	elsewhere := b.freeze(class+"/elsewhere", other, "")
	b.thread(class, join(
		b.count("before", op),
		[]Action{
			Send{Label: "elsewhere", Request: elsewhere, Copies: 1},
			Send{Label: "failing", Request: id, Copies: 1},
			b.environment(class, 2, NoHold, "failing", "elsewhere"),
		},
		b.count("after-failing", op),
		[]Action{
			unlessFailed(comeBackSlow("again", id, untilFree(b.op))),
			b.environmentOf(class, "environment-again", 2, NoHold, "again")},
		b.nextAfter(class, op, id),
		b.whereAccepted("again", b.above("appeared", "after-failing", op)),
		b.settled("settled", op),
	)...)
}

// unlessFailed makes a repeat end at the failure's own status, which may be one
// that elsewhere tells the caller to come back.
func unlessFailed(r Repeat) Repeat {
	r.While.Unlike = "failing"
	return r
}

func (b *builder) nextAfter(class string, op *made, id string) []Action {
	if class == "5xx" {
		cured := b.freeze(class+"/cured", b.withForm(op, b.plainForm()), "without what makes it fail")
		return []Action{
			If{When: Condition{Fact: Unwelcome, Labels: []string{"again"}}, Body: []Action{unlessFailed(b.comeBackOrConflict("cured", cured))}},
			If{When: Condition{Fact: Accepted, Labels: []string{"again"}}, Body: []Action{comeBack("further", id, patience(b.op))}},
			b.environmentOf(class, "environment-further", 2, NoHold, "further", "cured"),
		}
	}
	next := b.makeAs(class+"/corrected", b.plainForm())
	next.key = op.key
	corrected := b.freeze(class+"/corrected", next, "corrected")
	return join(
		b.count("corrected-before", next),
		[]Action{unlessFailed(b.comeBackOrConflict("corrected", corrected)),
			b.environmentOf(class, "environment-corrected", 2, NoHold, "corrected")},
		b.whereAccepted("corrected", join(
			b.above("after-corrected", "corrected-before", next),
			[]Action{comeBack("corrected-again", corrected, patience(b.op)),
				b.environmentOf(class, "environment-corrected-again", 2, NoHold, "corrected-again")})),
		b.settled("settled-corrected", next),
	)
}

// withForm copies an operation, with key and fresh values, in another form.
func (b *builder) withForm(m *made, f form) *made {
	own := *m
	own.form = f
	return b.with(&own)
}

func judgeOutcome(j *judging) {
	if !j.op.Promise.Duplicate.Known {
		j.unknown("duplicate", j.op.Promise.Duplicate.Pos)
		return
	}
	for _, class := range failures {
		if v, ok := j.op.Request.Failing[class]; ok {
			j.tried(class, func(t *Trial) string { return j.judgeFailure(t, class, v) })
		}
	}
}
