package probe

import (
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// A lock can be shared though records are not: taken by the key alone, it keeps
// a neighbour out only for as long as the first is at work. So where the contract
// says what is slow, the neighbour comes while it is.

// When the neighbour comes at the latest, and when its second control does after
// it. A lock may be taken some way into the work, and is then held to its end: so
// the neighbour comes half-way through the time that the first must outlast.
const (
	atWorkAfter = 2 * time.Second
	besideAfter = 100 * time.Millisecond
)

// How long a neighbour must have waited before its waiting is believed: so long
// at least, and so many times as long as its controls took.
const (
	longWait  = 400 * time.Millisecond
	waitTimes = 5
)

// atWork names the trial of a neighbour that comes while the first is at work.
func atWork(trial string) string { return trial + ", while the first is at work" }

// planAtWork plans the first, slow, and while it is at work three requests of
// the neighbour, in new values: a control under a key of its own; one with the
// first's key; and another control, which comes after that whether it has been
// answered or waits. Who handles one request at a time, of everybody, of one
// caller or of one resource, shows so in a control.
func (b *builder) planAtWork(n neighbour) {
	if b.op.Request.Slow == nil {
		return
	}
	trial := atWork(n.trial)
	first := b.makeAs(trial+"/slow", b.variantForm(*b.op.Request.Slow))
	firstID := b.freeze(trial+"/slow", first, "")
	control := b.freeze(trial+"/control", b.makeAs(trial+"/control", n.form), n.change+", under a key of its own")
	other := b.makeAs(trial+"/neighbour", n.form)
	other.key = first.key
	otherID := b.freeze(trial+"/neighbour", other, n.change)
	beside := b.freeze(trial+"/beside", b.makeAs(trial+"/beside", n.form), n.change+", under a key of its own")
	whilePending := func(body ...Action) Action {
		return If{When: Condition{Fact: Pending, Labels: []string{"slow"}}, Body: body}
	}
	send := func(label, id string) Action {
		return Send{Label: label, Request: id, Copies: 1, Long: true, Other: n.other}
	}
	d, _, _ := outlast(b.op)
	b.thread(trial, Fan{Branches: [][]Action{
		{Send{Label: "slow", Request: firstID, Copies: 1, Long: true}},
		{Pause{For: min(atWorkAfter, d/2)}, whilePending(send("control", control)), whilePending(Fan{Branches: [][]Action{
			{Repeat{Body: []Action{send("neighbour", otherID)}, While: Condition{Fact: Troubled, Labels: []string{"neighbour"}}, Within: atOnceAgain, Max: oftenEnough}},
			{Pause{For: besideAfter}, whilePending(send("beside", beside))},
		}})},
	}})
}

// blocking are the findings of a neighbour that the first's work keeps out.
type blocking struct {
	refused, failed, leaked string // slugs; failed is of a 5xx
	pos                     contract.Pos
	promise                 string
}

// judgeAtWork judges the neighbour that came while the first was at work. What
// its controls leave open accuses nobody.
func (j *judging) judgeAtWork(trial string, b blocking) {
	t := j.history.known(atWork(trial))
	if t == nil {
		return
	}
	before := j.mark()
	c := Case{Name: t.Name}
	slow, control, other, beside := t.Last("slow"), t.Last("control"), t.Last("neighbour"), t.Last("beside")
	d, _, _ := outlast(j.op)
	switch {
	case other == nil || !j.rules.class(slow).welcome:
		c.Text = "nothing was sent with its key while it was at work: " + j.rules.describe(slow)
		j.leftOpen(t, c.Text, j.rules.class(slow).welcome && slow.whole() > d && control == nil)
	case !j.rules.class(control).welcome || !control.doneBefore(slow):
		c.Text = "under a key of its own it gets " + j.rules.describe(control) + " at that time"
		j.leftOpen(t, c.Text, !control.Whole())
	case !other.Whole():
		j.leftOpen(t, "it got "+j.rules.describe(other)+": that shows nothing", true)
	default:
		j.judgeKeptOut(t, b, slow, control, other, beside)
	}
	j.examined(c, before)
}

// leftOpen says what a neighbour's trial could not show. That is inconclusive
// where a machine which stood still, or lost a request, may have hidden it; where
// the service is one that nothing can be told of, it is noted.
func (j *judging) leftOpen(t *Trial, text string, hidden bool) {
	if hidden {
		j.unsure(0, "run it again, where it is less busy", "%s: %s", t.Name, text)
		return
	}
	j.note("%s: %s", t.Name, text)
}

func (j *judging) judgeKeptOut(t *Trial, b blocking, slow, control, other, beside *Exchange) {
	f := Finding{Case: t.Name, Slug: b.refused, Expected: "a result of its own at once, as under another key", Actual: j.rules.describe(other)}
	free := j.rules.class(beside).welcome && beside.doneBefore(slow) // whether the neighbour waited or not
	waited := other.whole()
	long := waited >= max(longWait, waitTimes*max(control.whole(), beside.whole()))
	after := time.Duration(other.Answer.LastByte - slow.Answer.LastByte)
	// Work is done before it is answered: whoever waited for it may be answered
	// a little earlier.
	kept := free && long && beside.sentAt() > other.sentAt() && after > -waited/10 && after <= waited/2
	switch welcome := j.rules.class(other).welcome; {
	case welcome && !kept && after <= 0:
		return
	case welcome && !kept:
		j.leftOpen(t, "it was answered after the first was, and whether it waited for it cannot be told", true)
		return
	case welcome:
		if leak := j.rules.leaks(slow, control, other, nil); leak != "" {
			f.Slug, f.Expected, f.Actual = b.leaked, "nothing of the first's result", f.Actual+", with "+leak
		} else {
			f.Actual += " after it waited for " + waited.Round(10*time.Millisecond).String() + ", until the first was answered; another key's took " +
				beside.whole().Round(time.Millisecond).String()
		}
	case !free || beside.sentAt() < other.Answer.LastByte:
		j.unsure(j.op.Request.Slow.Pos.Line, "make request.slow work longer",
			"%s: it got %s, and no other key was accepted after it while the first still worked", t.Name, j.rules.describe(other))
		return
	case busyStatus(other.status()):
		if when, met := j.busyAt(other); met {
			j.note("%s: it got %s: %s", t.Name, j.rules.describe(other), when)
			return
		}
		j.unsure(0, "run against a target that is not limited", "%s: it got %s: whether a limit or the key did it cannot be told", t.Name, j.rules.describe(other))
		return
	case other.status() >= 500 && j.seldom(t, other):
		return
	case other.status() >= 500:
		f.Slug = b.failed
	}
	j.accuse(t, f, b.pos, b.promise)
}

// busyStatus says that a status is what limits and gateways answer.
func busyStatus(status int) bool {
	return status == 429 || status == 502 || status == 503 || status == 504
}

// whole is how long an exchange took from its last written byte to its
// answer's last; 0 where it has none.
func (x *Exchange) whole() time.Duration {
	if !x.Whole() || x.Sent == nil {
		return 0
	}
	return time.Duration(x.Answer.LastByte - x.Sent.WriteEnded)
}

// doneBefore says that an exchange was answered before another was.
func (x *Exchange) doneBefore(other *Exchange) bool {
	return x.Whole() && other.Whole() && x.Answer.LastByte < other.Answer.LastByte
}
