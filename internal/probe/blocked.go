package probe

import (
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Slack of a retry that waits: what a service may take beyond the recovery time
// to run the operation and answer it.
const (
	leastSlack = time.Second
	slackTimes = 3 // of the longest answer that the step saw
)

// judgeWaiting accuses of a retry that was kept waiting for its key beyond the
// recovery time, and says whether it did: a service that waits where others refuse in flight blocks the key as
// long as they do, and its answer in the end hides it. Times are counted from
// the last restart before it; of a retry that was sent late only what it waited
// itself counts.
func (j *judging) judgeWaiting(t *Trial, k killed) bool {
	x := k.retry
	if x.Sent == nil || !x.Whole() {
		return false
	}
	ready := j.lastStart(x.Sent.WriteBegan)
	longest, known := j.longestAnswer()
	slack := max(leastSlack, slackTimes*longest)
	blocked, waited := time.Duration(x.Answer.LastByte-ready), time.Duration(x.Answer.LastByte-x.Sent.WriteEnded)
	if !known || blocked <= recovery(j.op)+slack || waited <= slack {
		return false
	}
	f := blockedKey(j.op)
	f.Case, f.Exchanges, f.Counts = t.Name, ofOperation(t, k), countsOf(t, k.index)
	f.Actual = j.rules.describe(x) + " after it waited for " + waited.Round(time.Millisecond).String() + ", " +
		blocked.Round(time.Millisecond).String() + " after the restart, " + j.story(k)
	j.accuse(t, f, leasePos(j.op), ownerBlocks)
	return true
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

// lastStart is when the service was last ready before a moment.
func (j *judging) lastStart(before int64) (ready int64) {
	for _, t := range j.history.Trials {
		for _, m := range t.Moments {
			if m.Kind == trace.KindReady && m.Process.Ready && m.At <= before {
				ready = max(ready, m.At)
			}
		}
	}
	return ready
}

// longestAnswer is the longest that the step's other requests took, which had no
// dead owner in their way: those that were answered before a kill, and after it
// the duplicates of what was done. It is not known where none was answered
// before a kill: only those show how long an operation runs.
func (j *judging) longestAnswer() (longest time.Duration, known bool) {
	took := func(x *Exchange) {
		if x.Whole() && x.Sent != nil {
			longest = max(longest, time.Duration(x.Answer.LastByte-x.Sent.WriteEnded))
		}
	}
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
