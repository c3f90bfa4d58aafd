package probe

import (
	"cmp"
	"fmt"

	"github.com/idem-toolkit/idem/internal/contract"
)

// bindingStep uses an operation's key on the sibling endpoint too, with the
// same body.
var bindingStep = Step{
	Name:  "binding",
	What:  "the same key on another endpoint is answered as promised, and the first keeps its result",
	plan:  planBinding,
	judge: judgeBinding,
	lacks: lacksBinding,
}

func lacksBinding(_ *contract.Contract, op *contract.Operation) Reason {
	switch {
	case op.Sibling == nil:
		return Reason{Text: "sibling is not given", Line: op.Pos.Line, Settle: "give a sibling: {method: POST, path: ...} that takes the same body"}
	case !op.Promise.Binding.Known:
		return Reason{Text: "promise.binding is not stated", Line: op.Promise.Binding.Pos.Line, Settle: stating("binding")}
	}
	return Reason{}
}

const onSibling = "sibling"

func (b *builder) siblingForm() form {
	f := b.plainForm()
	f.method, f.path = b.op.Sibling.Method, b.op.Sibling.Path
	return f
}

func planBinding(b *builder) {
	s := b.op.Sibling
	b.planNeighbour(neighbour{trial: onSibling, form: b.siblingForm(), change: "on " + s.Method + " " + s.Path, sibling: true})
	if b.op.Promise.Binding.Value == "independent" {
		b.planAtWork(neighbour{trial: onSibling, form: b.siblingForm(), change: "on " + s.Method + " " + s.Path + ", with another body", sibling: true})
	}
}

func judgeBinding(j *judging) {
	s := j.op.Sibling
	n := neighbour{trial: onSibling, sibling: true}
	t := j.history.Trial(onSibling)
	m, why := j.meet(t, n)
	j.control("mutation", why == "", "%s %s accepts the body under a key of its own", s.Method, s.Path)
	if why != "" {
		if len(j.result.Reasons) == 0 {
			j.unsure(s.Pos.Line, "give a sibling that accepts the request's own body", "%s %s: %s", s.Method, s.Path, why)
		}
		return
	}
	if !countable(s.Effects) {
		j.note("the sibling's effects are not counted: answers are the only evidence of them")
	}
	var wrong string
	switch j.op.Promise.Binding.Value {
	case "independent":
		wrong = j.expectIndependent(t, n, m)
	case "conflict":
		wrong = j.expectBoundRefusal(t, n, m)
	default:
		wrong = j.expectBoundReplay(t, m)
	}
	j.judgeBound(t, m, wrong)
	j.judgeAtWork(onSibling, blocking{
		refused: "binding/refused-not-promised", failed: "binding/refused-not-promised", leaked: "binding/first-result-returned",
		pos: j.op.Promise.Binding.Pos, promise: "the same key on another endpoint is an operation of its own",
	})
}

// bound accuses by the promise of binding, and gives the slug.
func (j *judging) bound(t *Trial, f Finding, promise string) string {
	j.accuse(t, f, j.op.Promise.Binding.Pos, promise)
	return f.Slug
}

// expectIndependent: the sibling's request is an operation of its own.
func (j *judging) expectIndependent(t *Trial, n neighbour, m met) string {
	f := Finding{Expected: "a result and an effect of its own", Actual: j.rules.describe(m.other)}
	switch {
	case m.leak != "":
		f.Slug = "binding/first-result-returned"
		f.Actual += ", with " + m.leak
	case !j.rules.class(m.other).welcome:
		f.Slug = "binding/refused-not-promised"
	case m.counted && m.own == 0:
		f.Slug, f.Actual = "binding/effect-missing", f.Actual+", and no effect of its own was counted"
	case m.counted && m.own > m.unit:
		f.Slug, f.Expected = "binding/effect-ran-twice", "effects of one operation: "+itoa(m.unit)
		f.Actual = "effects counted: " + itoa(m.own)
	default:
		j.tellsNeighbour(m, n)
		return ""
	}
	return j.bound(t, f, "the same key on another endpoint is an operation of its own")
}

// expectBoundRefusal: the key belongs to the endpoint that used it first, and
// others refuse it as a conflict.
func (j *judging) expectBoundRefusal(t *Trial, n neighbour, m met) string {
	p := j.op.Promise
	if p.Conflict.Value.Match == nil {
		j.unsure(p.Binding.Pos.Line, stating("conflict"), "binding is promised as a conflict, and promise.conflict names no answer")
		return ""
	}
	f := Finding{Expected: p.Conflict.Value.Match.String(), Actual: j.rules.describe(m.other)}
	ran := m.counted && m.own > 0
	if ran {
		f.Actual += fmt.Sprintf(", and effects rose by %d", m.own)
	}
	switch {
	case m.leak != "":
		f.Slug = "binding/first-result-returned"
		f.Actual += ", with " + m.leak
	case ran, j.rules.class(m.other).welcome:
		f.Slug = "binding/ran-not-promised"
	case !j.rules.class(m.other).conflict:
		f.Slug = "binding/wrong-answer"
	default:
		return ""
	}
	return j.bound(t, f, "the same key on another endpoint is refused as a conflict")
}

// expectBoundReplay: the key alone names the operation, wherever it is sent.
func (j *judging) expectBoundReplay(t *Trial, m met) string {
	f := Finding{Expected: "the first result", Actual: j.rules.describe(m.other)}
	shown := j.shown(j.rules.replay(m.first, m.other))
	switch {
	case m.counted && m.own > 0:
		f.Slug = "binding/ran-not-promised"
		f.Actual += fmt.Sprintf(", and effects rose by %d", m.own)
	case len(shown) == 0:
		return ""
	case !j.rules.class(m.other).welcome:
		f.Slug = "binding/refused-not-promised"
	default:
		f.Slug, f.Actual = "binding/wrong-answer", list(shown)
	}
	return j.bound(t, f, "the same key gets the first result on every endpoint")
}

// judgeBound judges the original sent again after its key was used elsewhere.
func (j *judging) judgeBound(t *Trial, m met, wrong string) {
	if m.late > 0 {
		j.bound(t, Finding{Slug: "binding/effect-ran-twice", Follows: cmp.Or(j.follows("duplicate/effect-ran-twice"), wrong),
			Expected: "no effect of the original sent again", Actual: fmt.Sprintf("effects rose by %d", m.late)},
			"the original still has its one effect")
		return
	}
	if shown := j.shown(j.rules.replay(m.first, m.again)); len(shown) > 0 {
		j.bound(t, Finding{Slug: "binding/record-replaced", Follows: cmp.Or(j.followsDuplicate(), wrong),
			Expected: j.expectedDuplicate(), Actual: list(shown)}, "a key's use elsewhere leaves the original's record as it was")
	}
}
