package probe

import (
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// A service that waits where others refuse in flight blocks a dead owner's key
// for as long as it waits, and its answer in the end hides it. Time alone does
// not show it: a machine or a disk that stands still keeps every operation
// waiting. So once the recovery time has passed, and only while a retry still
// waits, new operations are sent beside it. What they get at once, nothing but
// its key keeps from the retry.

// besideAt are the moments of the new operations, from when the key must be free:
// the first two show it, the others are for retries that are still waited for
// when the last of those that do not wait has been answered.
var besideAt = [...]time.Duration{0, 400 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond, 3200 * time.Millisecond, 6400 * time.Millisecond}

// killTrial names the trial of one kill.
func killTrial(k int) string { return "kill-" + strconv.Itoa(k) }

// retryLabel is of the retry of one operation of a kill.
func retryLabel(i int) string { return "retry-" + strconv.Itoa(i) }

// besideRetries plans them for kills that are retried together.
func (b *builder) besideRetries(from, to int) []Action {
	waits := Condition{Fact: Awaited}
	for k := from; k <= to; k++ {
		waits.Among = append(waits.Among, killTrial(k))
	}
	for i := range keysPerKill {
		waits.Labels = append(waits.Labels, retryLabel(i))
	}
	var body []Action
	for i, at := range besideAt {
		body = append(body,
			Wait{For: "start", From: Ready, Plus: recovery(b.op) + at, While: waits},
			b.besideIf(killTrial(from)+"/control/"+strconv.Itoa(i), waits))
	}
	return []Action{Try{Trial: killTrial(from), Body: body}}
}

// Bounds of what shows that a retry waited for its key.
const (
	leastSlack   = time.Second
	slackTimes   = 3                      // of the longest that anything else took
	answeredAlso = 200 * time.Millisecond // keys that get free at the same time are answered within this
	leastBeside  = 2

	longestControl = time.Hour // of one without an answer
)

// judgeWaiting accuses of a retry that was kept waiting for its key beyond the
// recovery time, and says whether it did. Times are counted from the last
// restart before it; of a retry that was sent late only what it waited itself
// counts.
func (j *judging) judgeWaiting(t *Trial, k killed) bool {
	x := k.retry
	if x.Sent == nil || !x.Whole() {
		return false
	}
	ready := j.history.readyBefore(x.Sent.WriteBegan)
	over := max(ready+int64(recovery(j.op)), x.Sent.WriteEnded)
	kept := time.Duration(x.Answer.LastByte - over)
	longest, known := j.longestAnswer()
	least := max(leastSlack, slackTimes*longest)
	if kept <= least {
		return false
	}
	after := time.Duration(x.Answer.LastByte-ready).Round(time.Millisecond).String() + " after the restart"
	if j.besideShows(x, j.quietSince(x, over), least) {
		f := blockedKey(j.op)
		f.Case, f.Exchanges, f.Counts = t.Name, ofOperation(t, k), countsOf(t, k.index)
		f.Actual = j.rules.describe(x) + " after it waited for " + x.whole().Round(time.Millisecond).String() + ", " + after +
			", while new operations were answered; " + j.story(k)
		j.accuse(t, f, leasePos(j.op), ownerBlocks)
		return true
	}
	if _, most := j.beside(x, over); !known && kept <= max(leastSlack, slackTimes*most) {
		return false // that is how long an operation runs
	}
	j.unsure(0, "run it again, where it is less busy",
		"%s: a retry was answered %s: whether its key or the machine kept it waiting cannot be told", t.Name, after)
	return false
}

// ownerBlocks is what is promised of a dead owner's claim.
const ownerBlocks = "a dead owner blocks its key no longer than the lease"

func blockedKey(op *contract.Operation) Finding {
	return Finding{Slug: "crash/stuck-in-progress", Expected: "within " + recovery(op).String() + " of the restart the key is free or answered"}
}

// leasePos is where the contract says how long that is.
func leasePos(op *contract.Operation) contract.Pos {
	if op.Promise.Lease.Known {
		return op.Promise.Lease.Pos
	}
	return op.Crash.Pos
}

// quietSince is from when on a retry waited with nothing in its way but what
// waited too: writers that are served in no order can keep one of them waiting
// for as long as others come. Who is answered at about the same time was not
// before it.
func (j *judging) quietSince(x *Exchange, from int64) int64 {
	for _, t := range j.history.Trials {
		for _, o := range t.Exchanges {
			if o == x || o.Label == "control" || !o.Whole() || j.rules.unsettled(o) {
				continue
			}
			if o.Answer.LastByte <= x.Answer.LastByte-int64(answeredAlso) {
				from = max(from, o.Answer.LastByte)
			}
		}
	}
	return from
}

// besideShows says that new operations, sent one after another while a retry
// waited, were answered many times sooner, and that it was not the only retry
// which waited meanwhile: one request alone can be held up on its way.
func (j *judging) besideShows(x *Exchange, from int64, least time.Duration) bool {
	within, most := j.beside(x, from)
	if len(within) < leastBeside || time.Duration(x.Answer.LastByte-from) <= max(least, slackTimes*most) {
		return false
	}
	first, last := within[0], within[len(within)-1]
	for _, t := range j.history.Trials {
		ops, _ := volleyOf(t)
		for _, k := range ops {
			o := k.retry
			if o != x && o.Whole() && o.Sent != nil && o.Sent.WriteEnded <= first.Sent.WriteBegan && o.Answer.LastByte >= last.Answer.LastByte {
				return true
			}
		}
	}
	return false
}

// beside gives the new operations that were sent and answered while a retry
// waited, from a moment on, in their order, and the longest that any took which
// was under way meanwhile: as long as can be, where it got no answer.
func (j *judging) beside(x *Exchange, from int64) (within []*Exchange, most time.Duration) {
	for _, t := range j.history.Trials {
		for _, c := range t.Under("control") {
			switch {
			case c.Sent == nil || c.Sent.WriteBegan >= x.Answer.LastByte:
			case !c.Whole():
				most = longestControl
			case c.Answer.LastByte > from:
				most = max(most, c.whole())
				if c.Sent.WriteBegan >= from && c.Answer.LastByte <= x.Answer.LastByte && j.rules.class(c).welcome {
					within = append(within, c)
				}
			}
		}
	}
	return within, most
}

// longestAnswer is the longest that the step's other requests took, which had no
// dead owner in their way: those that were answered before a kill, and after it
// the duplicates of what was done. It is not known where none was answered
// before a kill: only those show how long an operation runs.
func (j *judging) longestAnswer() (longest time.Duration, known bool) {
	took := func(x *Exchange) { longest = max(longest, x.whole()) }
	for _, t := range j.history.Trials {
		ops, _ := volleyOf(t)
		for _, k := range ops {
			if k.answered {
				known = true
				took(k.sent)
			}
			if k.answered || k.seen && k.survived > 0 {
				took(k.retry)
			}
			took(k.again)
		}
	}
	return longest, known
}
