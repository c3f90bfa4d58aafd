package probe

import (
	"cmp"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// disconnectStep sends an operation and hangs up, as callers do that crash or
// lose their network, and then retries it with the same bytes.
var disconnectStep = Step{
	Name:  "disconnect",
	What:  "a caller that hangs up and tries again gets one effect and one result",
	plan:  planDisconnect,
	judge: judgeDisconnect,
	lacks: func(_ *contract.Contract, op *contract.Operation) Reason {
		p := op.Promise.Duplicate
		if p.Known {
			return Reason{}
		}
		return Reason{Text: "promise.duplicate is not stated", Line: p.Pos.Line, Settle: stating("duplicate")}
	},
}

// hangUpTrial is one moment at which the caller hangs up.
type hangUpTrial struct {
	name  string // for people, and of the trial
	at    HangUp
	pause time.Duration // before the retry
	slow  bool          // with the slow request
}

// Moments within the slow request's work, and of a retry that comes when the
// operation is over.
const (
	intoSlow   = 100 * time.Millisecond
	retryLater = 300 * time.Millisecond
)

// hangUps are the moments tried: a server that notices sooner, later, or when
// it writes the answer, breaks at another of them.
func hangUps(op *contract.Operation) []hangUpTrial {
	out := []hangUpTrial{
		{name: "hung up at the last byte", at: HangUp{When: Written}},
		{name: "hung up at the last byte, retried later", at: HangUp{When: Written}, pause: retryLater},
		{name: "hung up a third into the work", at: HangUp{When: Written, Part: 1. / 3}},
		{name: "hung up two thirds into the work, retried later", at: HangUp{When: Written, Part: 2. / 3}, pause: retryLater},
		{name: "hung up in the answer", at: HangUp{When: InAnswer}},
	}
	if op.Request.Slow != nil {
		out = append(out, hangUpTrial{name: "hung up in slow work", at: HangUp{When: Written, After: intoSlow}, slow: true})
	}
	return out
}

func planDisconnect(b *builder) {
	for _, h := range hangUps(b.op) {
		b.planHangUp(h)
	}
}

func (b *builder) planHangUp(h hangUpTrial) {
	f := b.plainForm()
	if h.slow {
		f = b.variantForm(*b.op.Request.Slow)
	}
	op := b.makeAs(h.name, f)
	id := b.freeze(h.name+"/first", op, "")
	retry := comeBackSlow("retry", id, untilFree(b.op))
	body := []Action{Send{Label: "hung-up", Request: id, Copies: 1, HangUp: h.at, Long: h.slow}}
	if h.pause > 0 {
		body = append(body, Pause{For: h.pause})
	}
	body = join(body, b.count("left", op))
	if !h.slow {
		waits := Condition{Fact: Awaited, Labels: []string{"retry"}}
		retrying := Fan{Branches: [][]Action{{retry}, b.besideWaiting(h.name, waits, untilFree(b.op))}}
		b.thread(h.name, join(b.count("before", op), body, []Action{retrying}, b.afterRetry(h, f, op, id), b.settled("settled", op))...)
		return
	}
	// How long the work takes where nobody hangs up is the control's to tell.
	alone := b.makeAs(h.name+"/control", f)
	control := Send{Label: "control", Request: b.freeze(h.name+"/control", alone, ""), Copies: 1, Long: true}
	retry = comeBackSlow("retry", id, withinRetention(b.op, max(untilFree(b.op), slowMost)))
	b.thread(h.name, join(
		b.count("before", op),
		b.count("control-before", alone),
		[]Action{Fan{Branches: [][]Action{append(body, retry), {control}}}},
		b.afterRetry(h, f, op, id),
		b.settled("settled", op),
		b.count("settled-control", alone),
	)...)
}

// slowMost bounds how long slow work is waited for.
const slowMost = 60 * time.Second

// afterRetry sends the same once more, tells the environment's part and looks
// for the effect.
func (b *builder) afterRetry(h hangUpTrial, f form, op *made, id string) []Action {
	return join(
		[]Action{If{When: Condition{Fact: Settled, Labels: []string{"retry"}}, Body: []Action{comeBack("again", id, patience(b.op))}},
			b.environmentAs(f, h.name, "environment", 2, NoHold, "retry", "again")},
		b.whereAccepted("retry", b.above("appeared", "before", op)),
	)
}

func judgeDisconnect(j *judging) {
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	j.tellable()
	var s hangUpTally
	for _, h := range hangUps(j.op) {
		j.tried(h.name, func(t *Trial) string { return j.judgeHangUp(t, h, &s) })
	}
	j.measure("hang-ups", strconv.Itoa(s.early)+" before an answer, "+strconv.Itoa(s.inAnswer)+" in one, "+strconv.Itoa(s.missed)+" too late",
		"the caller hung up "+some(s.early, "time", "times")+" before an answer, and "+strconv.Itoa(s.inAnswer)+" in one")
	if j.sound() {
		j.measure("effects left behind", strconv.Itoa(s.left), "in "+strconv.Itoa(s.left)+" of them the effect was there before the retry")
	}
	if s.early == 0 && len(j.result.Findings) == 0 {
		j.unsure(0, "give the operation work to do, or run nearer to the target", "no hang-up came before the answer")
	}
}

// hangUpTally is what the hang-ups of a step came to.
type hangUpTally struct {
	early, inAnswer, missed int
	left                    int // effects there before the retry
}

// judgeHangUp judges one hang-up and says in a few words what was seen.
func (j *judging) judgeHangUp(t *Trial, h hangUpTrial, s *hangUpTally) (text string) {
	hungUp := t.Last("hung-up")
	switch {
	case hungUp == nil || t.Last("retry") == nil:
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return ""
	case !hungUp.hungUp():
		s.missed++
		text = "it was not hung up: " + j.rules.describe(hungUp)
	case hungUp.Answer.FirstByte > 0:
		s.inAnswer++
	default:
		s.early++
	}
	if left, ok := t.Counted("left"); ok && left.N > 0 {
		s.left++
	}
	retry := j.sentInTime(t, hungUp, "retry")
	if retry == nil || h.slow && j.lapsedBefore(t, t.Last("control")) {
		return text
	}
	wrong := ""
	if unit, ok := j.hangUpUnit(t, h); ok && !j.anyLate(t, hungUp, "retry", "again") {
		c := j.rules.class(retry)
		wrong, _ = j.tally(t, h.name, unit, c.welcome || c.duplicate && !c.inFlight, true, [3]string{"before", "", "settled"})
		if none, ok := t.Counted("settled"); ok && none.N == 0 && c.duplicate && c.inFlight {
			j.unsure(j.op.Promise.Duplicate.Pos.Line, "answer duplicates and copies in flight in two ways",
				"%s: no effect is there, and whether the retry was told that it is done or in flight cannot be told", t.Name)
		}
	}
	if j.judgeRetryAfterHangUp(t, h, hungUp, retry, wrong) {
		again := j.sentInTime(t, hungUp, "again")
		if again != nil || len(t.Under("again")) == 0 {
			j.judgeRetried(t, h.name+", second retry", retry, again, wrong, "settled")
		}
	}
	return text
}

// hangUpUnit is what one operation of the trial's form makes.
func (j *judging) hangUpUnit(t *Trial, h hangUpTrial) (int64, bool) {
	if h.slow {
		return j.slowUnit(t)
	}
	return j.controls.Unit, j.sound()
}

// judgeRetryAfterHangUp judges the retry. The first answer was never seen, so
// what it gets may be a first answer or a duplicate's, or, where the request
// failed when its caller left, a failure that is stored as declared. It is true
// where a result came.
func (j *judging) judgeRetryAfterHangUp(t *Trial, h hangUpTrial, hungUp, retry *Exchange, wrong string) bool {
	if !j.final(t, retry, "again", "settled") {
		return false
	}
	p := j.op.Promise
	c := j.rules.class(retry)
	f := Finding{Case: h.name, Expected: "the operation's result", Actual: j.rules.describe(retry), Follows: wrong}
	switch {
	case j.unowned(t, retry):
		return false
	case hungUp.Whole() && !j.unowned(t, hungUp) && !j.rules.failing(hungUp) && !c.trouble && !j.rules.blocked(retry):
		j.judgeRetried(t, h.name, hungUp, retry, wrong, "again", "settled")
		return c.welcome || c.duplicate
	case c.duplicate:
		return true
	case c.welcome:
		return j.judgeShapeAfterHangUp(t, h, retry, f)
	case j.rules.blocked(retry), j.hangs(t, retry):
		j.judgeStillTaken(t, h, hungUp, retry, f)
		return false
	case j.environmental(t, retry):
		return false
	}
	if rule, ok := p.StoredFor(retry.status()); ok && rule.Outcome.Mode != "release" {
		left, counted := t.Counted("settled")
		if !j.sound() || !counted || left.N == 0 || j.anyLate(t, hungUp, "retry", "again") {
			j.unsure(rule.Pos.Line, "see why the request fails when its caller hangs up",
				"%s: it failed and its failure is stored, as declared (%s): no result is there to be judged", t.Name, j.rules.describe(retry))
			return false
		}
		f.Slug, f.Expected = j.slug("result-lost"), "the operation's result, since its effect is there"
	} else {
		f.Slug = j.slug("refused")
	}
	f.Follows = cmp.Or(f.Follows, j.followsDuplicate())
	j.accuse(t, f, p.Duplicate.Pos, "a caller that hung up and tries again gets the operation's result")
	return false
}

// judgeShapeAfterHangUp: nobody saw the first result, but it has the shape of
// others. A record that was written as its caller left may hold half of one.
func (j *judging) judgeShapeAfterHangUp(t *Trial, h hangUpTrial, retry *Exchange, f Finding) bool {
	known, got := j.shapes(), j.rules.shapeOf(retry.Answer)
	if h.slow {
		if control := t.Last("control"); j.rules.class(control).welcome {
			known = append(known, j.rules.shapeOf(control.Answer))
		}
	}
	if j.op.Promise.Duplicate.Value.Mode == "current" {
		known, got = presentStates(known, got)
	}
	wrong := misshapen(known, got)
	if wrong == "" {
		return true
	}
	f.Slug, f.Expected, f.Actual = j.slug("result-lost"), "a result like those of operations whose caller stayed", wrong
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, "a caller that hung up and tries again gets the operation's result")
	return false
}

// judgeStillTaken judges a key that is still in flight. Its owner may have died
// with the connection: then the lease says how long that may last. Or it works
// on, as long as the operation takes.
func (j *judging) judgeStillTaken(t *Trial, h hangUpTrial, hungUp, retry *Exchange, f Finding) {
	p := j.op.Promise
	if !p.Lease.Known {
		j.unsure(p.Lease.Pos.Line, stating("lease"),
			"%s: the key is still in flight %s after the hang-up, and promise.lease is not stated", t.Name, retry.since(hungUp).Round(time.Millisecond))
		return
	}
	may := p.Lease.Value
	if h.slow {
		took := t.Last("control").took()
		if took == 0 {
			j.unsure(0, "run the step again", "%s: how long the slow request takes is unknown", t.Name)
			return
		}
		may = max(may, took+took/4)
	}
	if waited := j.takenFor(t, hungUp, retry); waited < may {
		j.unsure(p.Retention.Pos.Line, "give the target a longer retention (expiry.wait), or a shorter lease; or run it again, where it is less busy",
			"%s: the key was still in flight %s after the hang-up, and was seen to be for %s, as it may be: it could not be waited for longer",
			t.Name, retry.since(hungUp).Round(time.Millisecond), waited.Round(time.Millisecond))
		return
	}
	f.Slug, f.Expected = j.slug("stuck"), "the operation's result, within the lease of "+p.Lease.Value.String()
	f.Actual += ", " + retry.since(hungUp).Round(10*time.Millisecond).String() + " after the hang-up"
	f.Follows = cmp.Or(f.Follows, j.followsDuplicate())
	j.accuse(t, f, p.Lease.Pos, "a key whose caller hung up is answered or free when its lease is over")
}

// takenFor is how long the key is known to have been one owner's, up to its last
// retry: a machine that stands still takes up a request late, also the one that
// was hung up. Who told that it is in flight shows that it was claimed by then,
// and only who was told nothing else can have claimed it since. A retry that
// waited in vain was sent before that.
func (j *judging) takenFor(t *Trial, hungUp, retry *Exchange) time.Duration {
	if !j.rules.blocked(retry) {
		return retry.since(hungUp)
	}
	told := int64(0)
	for _, x := range t.Under("retry") {
		switch {
		case !j.rules.blocked(x):
			told = 0
		case told == 0:
			told = x.Answer.LastByte
		}
		if x == retry {
			break
		}
	}
	return max(time.Duration(retry.sentAt()-told), 0)
}
