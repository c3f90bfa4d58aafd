package probe

import (
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// storeDownStep takes the record store away from the running service: what
// cannot be protected must not run. It has the target to itself.
var storeDownStep = Step{
	Name:  "store-down",
	What:  "without its record store the service runs nothing unprotected, and forgets nothing over the outage",
	plan:  planStoreDown,
	judge: judgeStoreDown,
	lacks: func(_ *contract.Contract, op *contract.Operation) Reason {
		if op.StoreDown != nil {
			return Reason{}
		}
		return Reason{Text: "store_down is not declared: no hooks take the record store away", Line: op.Pos.Line,
			Settle: "declare store_down: {down: [...], up: [...]}"}
	},
}

// Trials of the step.
const (
	duringOutage = "a new key during the outage"
	beforeOutage = "a key finished before the outage"
	afterOutage  = "a new key after the outage"
)

// storeBackMost is how long a service may take, beside its lease, to find its
// store again.
const storeBackMost = 5 * time.Second

// storeBack is the longest that a key may take after the outage: the lease of
// a claim that the outage cut off, and the service's own reconnecting; no more
// than half of the key's retention, after which nothing shows anything.
func storeBack(op *contract.Operation) time.Duration {
	within, lease := storeBackMost, op.Promise.Lease.Value
	if op.Promise.Lease.Known {
		within += lease
	}
	if atLeast, _, known := op.EffectiveRetention(); known {
		within = min(within, max(atLeast/2, lease+lease/4))
	}
	return within
}

// secondAfter is how long after the outage's first request the second is sent:
// most services have answered by then. One that waits for its store has both
// waiting together, so that the key's retention is not spent on waiting.
const secondAfter = 500 * time.Millisecond

// inOutage sends a request while the store is away, and waits for its answer
// no longer than half of the key's retention: what comes after the outage must
// be within it too.
func (b *builder) inOutage(label, id string) []Action {
	s := Send{Label: label, Request: id, Copies: 1}
	atLeast, _, known := b.op.EffectiveRetention()
	if c := b.env.Contract; known && c != nil && c.Target.Timeout > atLeast/2 {
		s.HangUp = HangUp{When: Written, After: atLeast / 2}
	}
	return []Action{s}
}

// planStoreDown: one operation before; the store goes; a new key twice and the
// finished one once more; the store comes back; all keys again, twice.
func planStoreDown(b *builder) {
	finished, during, after := b.make("finished"), b.make("during"), b.make("after")
	finishedID, duringID, afterID := b.freeze("finished", finished, ""), b.freeze("during", during, ""), b.freeze("after", after, "")
	second := secondAfter
	if atLeast, _, known := b.op.EffectiveRetention(); known {
		second = min(second, atLeast/8)
	}
	actions := join(
		[]Action{Try{Trial: beforeOutage, Body: join(
			b.count("before", finished),
			[]Action{comeBack("first", finishedID, patience(b.op))},
			b.above("after-first", "before", finished),
		)}, Try{Trial: duringOutage, Body: b.count("before", during)}},
		[]Action{
			Store{Up: false},
			Fan{Branches: [][]Action{
				{Try{Trial: duringOutage, Body: b.inOutage("during", duringID)}},
				{Try{Trial: duringOutage, Body: join([]Action{Pause{For: second}}, b.inOutage("during-again", duringID))}},
				{Try{Trial: beforeOutage, Body: b.inOutage("during", finishedID)}},
			}},
			Store{Up: true},
			Fan{Branches: [][]Action{
				{Try{Trial: duringOutage, Body: []Action{recovered("back", duringID, storeBack(b.op)), recovered("again", duringID, patience(b.op)),
					b.environment(duringOutage, 2, NoHold, "back", "again")}}},
				{Try{Trial: beforeOutage, Body: []Action{recovered("back", finishedID, storeBack(b.op)), b.environment(beforeOutage, 2, NoHold, "back")}}},
				{Try{Trial: afterOutage, Body: []Action{recovered("first", afterID, storeBack(b.op))}}},
				{Try{Trial: afterOutage, Body: b.besideWaiting(afterOutage,
					Condition{Fact: Awaited, Labels: []string{"back"}, Among: []string{duringOutage, beforeOutage}}, storeBack(b.op))}},
			}},
			Try{Trial: duringOutage, Body: join(b.above("back", "before", during), b.settled("settled", during))},
			Try{Trial: beforeOutage, Body: b.count("settled", finished)},
		},
	)
	b.plan.Threads = append(b.plan.Threads, Thread{Exclusive: true, Actions: actions})
}

// recovered sends a request until its answer is final: while the service finds
// its store again no 5xx is.
func recovered(label, request string, within time.Duration) Repeat {
	r := comeBack(label, request, within)
	r.While.Recovering = true
	return r
}
