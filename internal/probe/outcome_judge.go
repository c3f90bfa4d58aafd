package probe

import (
	"cmp"
	"strconv"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// failure is one failed request with what came of it.
type failure struct {
	t              *Trial
	class          string // "4xx", "5xx"
	form           contract.Variant
	rule           contract.StoredRule
	failing, again *Exchange
	next           *Exchange // corrected (4xx), cured or further (5xx); nil: not sent
	elsewhere      *Exchange // the same failure under another key
}

// judgeFailure judges one class and says in a few words what failed.
func (j *judging) judgeFailure(t *Trial, class string, v contract.Variant) (text string) {
	f := failure{t: t, class: class, form: v, failing: t.Last("failing"), elsewhere: t.Last("elsewhere")}
	if f.failing == nil || t.Last("again") == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", class)
		return ""
	}
	if f.again = j.sentInTime(t, f.failing, "again"); f.again == nil || !j.failed(f) {
		return j.rules.describe(f.failing)
	}
	for _, label := range []string{"corrected", "cured", "further"} {
		if x := t.Last(label); x != nil && !j.forgettable(f.failing, x.reached(f.failing)) {
			f.next = x
		}
	}
	status := cmp.Or(f.failing.status(), 500) // a connection that ended is how a panic looks
	text = j.rules.describe(f.failing)
	rule, stated := j.op.Promise.StoredFor(status)
	f.rule = rule
	wrong := j.failureEffects(f)
	if !stated {
		j.unsure(j.op.Promise.Pos.Line, `state promise.stored: {"`+strconv.Itoa(status)+`": ...}: replay, release, any or an answer`,
			"%s: promise.stored does not say what becomes of status %d", class, status)
		return text
	}
	if !j.final(t, f.again, "further", "cured", "corrected", "settled") || j.unowned(f.t, f.again) || j.stuckAfterFailure(f) {
		return text
	}
	j.judgeByRule(f, wrong)
	return text + ", promised: " + promised(rule.Outcome)
}

func promised(o contract.Outcome) string {
	if o.Match != nil {
		return o.Match.String()
	}
	return o.Mode
}

func (j *judging) judgeByRule(f failure, wrong string) {
	switch f.rule.Outcome.Mode {
	case "replay":
		j.judgeStored(f, wrong)
	case "release":
		if f.class == "4xx" {
			j.judgeReleasedRefusal(f)
		} else {
			j.judgeReleasedFailure(f, wrong)
		}
	case "any":
		j.judgeAny(f, wrong)
	default:
		if f.again.Whole() && j.rules.matches(f.rule.Outcome.Match, f.again.Answer) || j.environmental(f.t, f.again) {
			return
		}
		j.accuseFailure(f, "wrong-answer", f.rule.Outcome.Match.String(), j.rules.describe(f.again), wrong)
	}
}

func (j *judging) accuseFailure(f failure, slug, expected, actual, follows string) {
	j.accuse(f.t, Finding{Slug: j.slug(slug), Case: f.class, Expected: expected, Actual: actual, Follows: follows},
		f.rule.Pos, "what becomes of a failure is as promise.stored says")
}

// failed says that the failing request failed as its class says, and that it
// was not the environment that failed it.
func (j *judging) failed(f failure) bool {
	name := "request.failing." + f.class
	x := f.failing
	switch {
	case x.Whole() && x.Answer.Status/100 == int(f.class[0]-'0'):
		return !j.elsewhere(f.t, x)
	case j.elsewhere(f.t, x):
	case f.class == "5xx" && x.Answer != nil && (x.Answer.Outcome == trace.Reset || x.Answer.Outcome == trace.Cut):
		return true
	default:
		j.unsure(f.form.Pos.Line, "make "+name+" a request that is answered with "+f.class,
			"%s: the request that should fail got %s", f.class, j.rules.describe(x))
	}
	return false
}

// failureEffects judges what all requests of the key did together, and gives
// the slug of what is wrong. Of a refused request nothing may be said: some
// counters count attempts.
func (j *judging) failureEffects(f failure) string {
	done := j.rules.class(f.again).welcome || f.class == "5xx" && j.rules.class(f.next).welcome
	before, _ := f.t.Counted("before")
	left, counted := f.t.Counted("after-failing")
	counted = counted && j.sound() && left.N > before.N
	if counted && f.class == "4xx" {
		j.note("4xx: the refused request has left an effect: either attempts are counted, or what is refused is done all the same")
	}
	if !j.sound() || !done && f.class == "4xx" || j.anyLate(f.t, f.failing, "again", "cured", "further") || j.presentState(f) {
		return ""
	}
	wrong, ok := j.tally(f.t, f.class, j.controls.Unit, done, false, [3]string{"before", "", "settled"})
	if ok && counted && f.class == "5xx" {
		j.note("%s: the request that failed had left its effect", f.class)
	}
	return wrong
}

// presentState says that a refusal's retry got a success and no effect is
// counted, where a duplicate gets the present state: the success may be about
// the answer, which tells of a refused operation, as that of a GET would be.
// A key that a refusal frees has no state to tell of.
func (j *judging) presentState(f failure) bool {
	if f.class != "4xx" || j.op.Promise.Duplicate.Value.Mode != "current" || f.rule.Outcome.Mode == "release" {
		return false
	}
	before, _ := f.t.Counted("before")
	settled, counted := f.t.Counted("settled")
	if !counted || settled.N-before.N >= j.controls.Unit {
		return false
	}
	j.unsure(j.op.Promise.Duplicate.Pos.Line, "answer the retry of a refusal with the refusal",
		"4xx: %s, and to the retry %s with no effect: whether that tells of a refused operation or of one that is done cannot be told",
		j.rules.describe(f.failing), j.rules.describe(f.again))
	return true
}

// stuckAfterFailure judges a key that stays in flight though its request was
// answered. A dead owner may block it for the lease; one that answered is not
// dead, but servers free its key in the same way.
func (j *judging) stuckAfterFailure(f failure) bool {
	blocked := j.rules.blocked(f.again)
	if blocked && f.failing.status() == f.again.status() {
		if len(j.rules.differences(f.failing, f.again)) == 0 {
			return false // the failure itself looks so
		}
		j.unsure(f.rule.Pos.Line, "let refusals and copies in flight be told apart, by status or promise.in_flight.json",
			"%s: the failure and a copy in flight have one status (%d): which the retry got cannot be told", f.class, f.again.status())
		return true
	}
	if !blocked && !j.hangs(f.t, f.again) {
		return false
	}
	lease := j.op.Promise.Lease
	waited := f.again.since(f.failing)
	if lease.Known && waited < lease.Value {
		j.unsure(lease.Pos.Line, "give the target a longer retention (expiry.wait), or a shorter lease",
			"%s: the key was still in flight %s after the failure, and could not be waited for until its lease is over", f.class, waited)
		return true
	}
	j.accuseFailure(f, "stuck", "the failure's answer or another attempt, as promise.stored says",
		j.rules.describe(f.again)+", "+waited.Round(1e7).String()+" after the failure", j.followsDuplicate())
	return true
}

// judgeStored: the failure is stored like any result.
func (j *judging) judgeStored(f failure, wrong string) {
	again := j.rules.class(f.again)
	const expected = "the failure's answer again, and nothing run"
	if !f.failing.Whole() {
		j.unsure(f.form.Pos.Line, "make request.failing."+f.class+" fail with an answer", "%s: it failed without an answer: what is stored of it is unknown", f.class)
		return
	}
	shown := j.shown(j.rules.differences(f.failing, f.again))
	switch {
	case again.duplicate:
		return
	case len(shown) > 0:
		if j.environmental(f.t, f.again) {
			return
		}
		slug := "not-stored"
		if again.none || again.trouble {
			slug = "refused"
		}
		j.accuseFailure(f, slug, expected, list(shown), cmp.Or(wrong, j.followsDuplicate()))
		return
	case len(j.rules.differences(f.failing, f.again)) > 0:
		return // told already that it cannot be told
	}
	p := j.op.Promise
	if n := j.roseAfterFailure(f); n > 0 && p.Conflict.Value.Mode != "execute" {
		j.accuseFailure(f, "not-stored", expected, "the same answer, and effects rose by "+itoa(n), wrong)
		return
	}
	if p.Marker != nil && p.Duplicate.Value.Mode == "replay" && !j.rules.marked(f.again) {
		j.accuseFailure(f, "not-stored", expected+", marked "+p.Marker.Header, "the same answer without the marker",
			cmp.Or(wrong, j.follows("duplicate/marker-missing")))
		return
	}
	j.storedShown(f, wrong)
}

// storedShown says whether what looks stored is: by a marker, an answer that
// would have changed, or what the key says to a request that would run.
func (j *judging) storedShown(f failure, wrong string) {
	p := j.op.Promise
	next := j.rules.class(f.next)
	free := next.welcome && p.Conflict.Value.Mode != "execute" && j.controls.Answers &&
		len(j.rules.differences(f.failing, f.next)) > 0 && !j.rules.marked(f.next)
	switch {
	case j.conflictUnseen(f):
	case free:
		j.accuseFailure(f, "not-stored", "a key that is taken", "the key was free: a request that does not fail ran under it", wrong)
	case p.Marker != nil && j.rules.marked(f.again):
	case f.elsewhere.Whole() && f.elsewhere.status() == f.failing.status() && j.rules.varies(f.failing, f.elsewhere):
	case f.next.Whole() && (next.conflict || len(j.rules.differences(f.failing, f.next)) == 0 && !j.sameForAnother(f)):
	default:
		j.untold(f, "is stored")
	}
}

func (j *judging) untold(f failure, what string) {
	j.unsure(f.rule.Pos.Line, "declare promise.marker, or promise.conflict, or effects that are counted",
		"%s: whether the failure %s or was met again cannot be told: its answers are alike, and nothing else shows it", f.class, what)
}

// roseAfterFailure is by how much effects of the failed operation rose after
// its first answer.
func (j *judging) roseAfterFailure(f failure) int64 {
	left, ok0 := f.t.Counted("after-failing")
	settled, ok1 := f.t.Counted("settled")
	before, _ := f.t.Counted("before")
	if !j.sound() || !ok0 || !ok1 {
		return 0
	}
	if left.N == before.N && settled.N-before.N <= j.controls.Unit {
		return 0 // where attempts are counted, the first one's may have come late
	}
	return settled.N - left.N
}
