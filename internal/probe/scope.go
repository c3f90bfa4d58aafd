package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
)

// scopeStep sends another caller's request under the first one's key, with the
// same body and with another, and asks that nothing of the first is seen. Where
// the query is part of a key's scope, so is another query tried.
var scopeStep = Step{
	Name:  "scope",
	What:  "another caller with the same key gets a result of its own, and nothing of the first caller's",
	plan:  planScope,
	judge: judgeScope,
	lacks: lacksScope,
}

func lacksScope(c *contract.Contract, op *contract.Operation) Reason {
	switch {
	case c == nil || c.Target.OtherAuth == nil:
		return Reason{Text: "target.other_auth is not given", Line: targetLine(c),
			Settle: "give target.other_auth: a credential of another principal"}
	case op.Promise.Scope == nil:
		return Reason{Text: "promise.scope is not stated", Line: op.Promise.Pos.Line, Settle: "state promise.scope: [caller, ...], or []"}
	}
	return Reason{}
}

func targetLine(c *contract.Contract) int {
	if c == nil {
		return 0
	}
	return c.Target.Pos.Line
}

// Trials of the step.
const (
	anotherCaller = "another caller"

	sameBody    = "another caller, the same body"
	anotherBody = "another caller, another body"
	otherQuery  = "another query"
)

// scoped are the experiments that the promised scope asks for.
func (b *builder) scoped() []neighbour {
	var out []neighbour
	if slices.Contains(b.op.Promise.Scope, "caller") {
		out = append(out,
			neighbour{trial: sameBody, form: b.plainForm(), change: "of another caller", other: true, retry: true},
			neighbour{trial: anotherBody, form: b.plainForm(), change: "of another caller, with another body", other: true, another: true, retry: true})
	}
	if slices.Contains(b.op.Promise.Scope, "query") {
		out = append(out, neighbour{trial: otherQuery, form: b.queried(), change: "with another query"})
	}
	return out
}

// withBodies leaves out the experiments with another body where a request can
// have no other.
func (b *builder) withBodies(all []neighbour) []neighbour {
	if len(b.op.Request.Fresh) > 0 || b.op.Request.Body.Kind != contract.NoBody {
		return all
	}
	return slices.DeleteFunc(all, func(n neighbour) bool { return n.another })
}

// queried is the request with one more parameter in its query.
func (b *builder) queried() form {
	f := b.plainForm()
	sep := "?"
	if strings.Contains(f.path, "?") {
		sep = "&"
	}
	f.path += sep + "idem=another"
	return f
}

func planScope(b *builder) {
	all := b.scoped()
	if !slices.Contains(b.op.Promise.Scope, "caller") {
		b.plan.Idle, b.plan.Excused = Reason{Text: "promise.scope leaves the caller out: keys are one space for all callers",
			Line: b.op.Promise.ScopePos.Line}, true
		return
	}
	for _, n := range b.withBodies(all) {
		b.planNeighbour(n)
	}
	b.planAtWork(neighbour{trial: anotherCaller, form: b.plainForm(), change: "of another caller, with another body", other: true})
}

func judgeScope(j *judging) {
	proved, callers := 0, 0
	for _, n := range []neighbour{{trial: sameBody, other: true, retry: true},
		{trial: anotherBody, other: true, another: true, retry: true}, {trial: otherQuery}} {
		t := j.history.known(n.trial)
		if t == nil {
			continue
		}
		before := j.mark()
		c := Case{Name: n.trial}
		m, why := j.meet(t, n)
		if why == "" {
			proved++
			j.judgeScoped(t, n, m)
		} else {
			c.Verdict, c.Text = Inconclusive, why
		}
		if why == "" && n.other {
			callers++
		}
		j.examined(c, before)
	}
	j.judgeAtWork(anotherCaller, blocking{
		refused: "scope/other-callers-conflict", failed: "scope/other-caller-refused", leaked: "scope/other-callers-result",
		pos: j.op.Promise.ScopePos, promise: "a key is unique to its caller: another caller's request under it is an operation of its own",
	})
	j.control("mutation", callers > 0, "%d experiments were proved by a request of the same kind under a key of its own", proved)
	if callers == 0 && len(j.result.Reasons) == 0 {
		j.unsure(j.contract.Target.OtherAuth.Pos.Line, "give target.other_auth a principal that may do the same",
			"the other principal's request is not accepted under a key of its own either: a refusal proves nothing")
	}
}

// judgeScoped judges one proved experiment.
func (j *judging) judgeScoped(t *Trial, n neighbour, m met) {
	f := Finding{Case: n.trial, Expected: "a result and an effect of its own", Actual: j.rules.describe(m.other)}
	c := j.rules.class(m.other)
	promise := "a key is unique to its caller: another caller's request under it is an operation of its own"
	if !n.other {
		promise = "a key is unique to its query string: the same key with another is an operation of its own"
	}
	switch {
	case m.leak != "" && n.other:
		f.Slug, f.Expected = j.scopeSlug("other-callers-result"), "nothing of the first caller's result"
		f.Actual += ", with " + m.leak
	case n.other && !c.welcome && !c.none && (c.conflict || c.duplicate || c.inFlight || m.other.Answer.Status < 500):
		f.Slug = j.scopeSlug("other-callers-conflict")
	case n.other && !c.welcome:
		f.Slug = j.scopeSlug("other-caller-refused")
	case !n.other && (m.leak != "" || !c.welcome || m.counted && m.own == 0):
		f.Slug = j.scopeSlug("query-shares-keys")
	case m.counted && m.own == 0:
		f.Slug, f.Actual = j.scopeSlug("effect-missing"), f.Actual+", and no effect of its own was counted"
	case m.counted && m.own > m.unit:
		f.Slug, f.Expected = j.scopeSlug("effect-ran-twice"), "effects of one operation: "+itoa(m.unit)
		f.Actual, f.Follows = "effects counted: "+itoa(m.own), j.follows("duplicate/effect-ran-twice")
	}
	if f.Slug == "" && !j.tellsNeighbour(m, n) {
		return
	}
	wrong := f.Slug
	if wrong != "" {
		f.Follows = cmp.Or(f.Follows, j.followsScope())
		j.accuse(t, f, j.op.Promise.ScopePos, promise)
	}
	j.judgeBothAgain(t, n, m, wrong)
}

// judgeBothAgain judges the retries of both: each keeps its own result.
func (j *judging) judgeBothAgain(t *Trial, n neighbour, m met, wrong string) {
	if m.late > 0 {
		j.accuse(t, Finding{Slug: j.scopeSlug("effect-ran-twice"), Case: n.trial, Follows: cmp.Or(j.follows("duplicate/effect-ran-twice"), j.followsScope(), wrong),
			Expected: "no effect of either sent again", Actual: fmt.Sprintf("effects rose by %d", m.late)},
			j.op.Promise.ScopePos, "each caller's operation has its one effect")
		return
	}
	if shown := j.shown(j.rules.replay(m.first, m.again)); len(shown) > 0 {
		j.accuse(t, Finding{Slug: j.scopeSlug("record-replaced"), Case: n.trial, Follows: cmp.Or(j.followsDuplicate(), j.followsScope(), wrong),
			Expected: j.expectedDuplicate(), Actual: list(shown)}, j.op.Promise.ScopePos, "another's use of a key leaves the first record as it was")
	}
	if wrong != "" || !n.retry {
		return
	}
	if shown := j.shown(j.rules.replay(m.other, m.retried)); len(shown) > 0 {
		j.accuse(t, Finding{Slug: j.scopeSlug("retry-not-recognised"), Case: n.trial, Follows: cmp.Or(j.followsDuplicate(), j.followsScope()),
			Expected: j.expectedDuplicate(), Actual: list(shown)}, j.op.Promise.ScopePos, "the other caller's own retry is recognised too")
	}
}

// acrossSlugs are the findings of the replicas step that another caller's request
// at another replica comes to, by what the scope step calls them.
var acrossSlugs = map[string]string{
	"other-callers-conflict": "other-caller-refused",
	"record-replaced":        "other-answer",
	"retry-not-recognised":   "other-answer",
}

// scopeSlug names a finding of another caller's request, in the step that is judged.
func (j *judging) scopeSlug(what string) string {
	if own, renamed := acrossSlugs[what]; renamed && j.result.Step == "replicas" {
		what = own
	}
	return j.slug(what)
}

// followsScope gives what the scope step has found where one instance answered,
// else "": it shows at another one as well.
func (j *judging) followsScope() string {
	if j.result.Step != "replicas" {
		return ""
	}
	for _, slug := range []string{"scope/other-callers-result", "scope/other-callers-conflict", "scope/other-caller-refused", "scope/effect-ran-twice", "scope/effect-missing"} {
		if j.prior[slug] {
			return slug
		}
	}
	return ""
}
