package probe

import (
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// crashStep kills the service while many operations are under way, starts it
// again and retries each with the same bytes. A kill proves something where it
// fell between an operation's effect and its answer.
var crashStep = Step{
	Name:  "crash",
	What:  "a service killed between effect and answer neither repeats the effect nor loses the result",
	plan:  planCrash,
	judge: judgeCrash,
}

// Bounds of the kills. One SIGKILL meets many keys (contract-v1, Steps); three
// volleys that are killed at moments between each other's look three times as
// closely, and are retried and counted together where the retention leaves the
// time. More are made only until one has landed.
const (
	keysPerKill  = 24
	enoughKills  = 3
	mostKills    = 5
	restartMost  = 30 * time.Second
	reachOfFirst = 1.5 // a volley spans one and a half answer times
	togetherMost = 5 * time.Second
	apartMost    = 8 * time.Second
)

func planCrash(b *builder) {
	if b.op.Crash == nil {
		b.plan.Idle = Reason{Text: "crash is not declared: nothing may be killed", Line: b.op.Pos.Line,
			Settle: "add crash.process or crash.hooks to the operation"}
		return
	}
	if !b.op.Promise.Lease.Known && b.op.Crash.Recovery == 0 {
		b.plan.Idle = Reason{Text: "promise.lease is not stated: how long a dead owner may block its key is unknown",
			Line: b.op.Promise.Lease.Pos.Line, Settle: stating("lease") + "; or crash.recovery"}
		return
	}
	first, most := enoughKills, mostKills
	if !counted(b.op) {
		first, most = 1, 1 // that one has landed cannot be seen
	}
	actions := b.planKills(1, first)
	for k := first + 1; k <= most; k++ {
		actions = append(actions, If{When: Condition{Fact: Sparse, Within: apartMost}, Body: b.planKills(k, k)})
	}
	b.plan.Threads = append(b.plan.Threads, Thread{Trial: "kills", Exclusive: true, Actions: actions})
}

// recovery is how long after the restart an operation may still be blocked.
func recovery(op *contract.Operation) time.Duration {
	if op.Crash.Recovery > 0 {
		return op.Crash.Recovery
	}
	return op.Promise.Lease.Value
}

// together is how long after the first of several volleys the last may end, so
// that all can be retried within their retention.
func together(op *contract.Operation) time.Duration {
	most := togetherMost
	if atLeast, _, known := op.EffectiveRetention(); known {
		most = min(most, atLeast-recovery(op)-patience(op))
		if counted(op) {
			most -= op.Effects.Settle
		}
	}
	return max(most, 0)
}

// planKills plans kills that are retried and counted together: volley, kill
// and restart of each, then the rest for all.
func (b *builder) planKills(from, to int) []Action {
	var volleys []Action
	var look, retry, end [][]Action
	for k := from; k <= to; k++ {
		p := b.planKill(k)
		try := Try{Trial: p.trial, Body: p.volley}
		of := func(actions ...Action) []Action {
			if k > from {
				actions = []Action{If{When: Condition{Fact: Begun}, Body: actions}}
			}
			return []Action{Try{Trial: p.trial, Body: actions}}
		}
		if k > from {
			volleys = append(volleys, If{When: Condition{Fact: InTime, Within: together(b.op)}, Body: []Action{try}})
		} else {
			volleys = append(volleys, try)
		}
		look = append(look, of(Fan{Branches: p.look}))
		retry = append(retry, of(Fan{Branches: p.retry}, p.environment))
		end = append(end, of(Fan{Branches: p.end}))
	}
	retry = append(retry, b.besideRetries(from, to))
	if !counted(b.op) {
		return append(volleys, Fan{Branches: retry})
	}
	// An effect that is counted late is seen before anything is sent again.
	settle := Settle{For: b.op.Effects.Settle}
	return append(volleys, settle, Fan{Branches: look}, Fan{Branches: retry}, settle, Fan{Branches: end})
}

// kill is the plan of one kill.
type kill struct {
	trial            string
	volley           []Action // up to the restart
	look, retry, end [][]Action
	environment      Action
}

// offsets are what part of the space between two operations passes before each
// kill, so that later ones meet moments between those of the earlier.
var offsets = [mostKills]float64{0, 1. / 3, 2. / 3, 1. / 2, 1. / 8}

// planKill plans one kill. The last reaches further, in case the answer time
// that was seen is not the one under load.
func (b *builder) planKill(k int) kill {
	p := kill{trial: killTrial(k)}
	volley := Volley{Label: "volley", Reach: reachOfFirst, Offset: offsets[k-1]}
	if k == mostKills {
		volley.Reach *= 2
	}
	var before [][]Action
	var retries []string
	for i := range keysPerKill {
		n := strconv.Itoa(i)
		op := b.make(p.trial + "/" + n)
		id := b.freeze(p.trial+"/"+n, op, "")
		volley.Requests = append(volley.Requests, id)
		before = append(before, b.count("before-"+n, op))
		p.look = append(p.look, b.count("survived-"+n, op))
		retries = append(retries, retryLabel(i), "again-"+n)
		p.retry = append(p.retry, join(
			[]Action{afterRestarting("retry-"+n, id, recovery(b.op))},
			[]Action{If{When: Condition{Fact: Settled, Labels: []string{"retry-" + n}},
				Body: []Action{comeBack("again-"+n, id, patience(b.op))}}},
			b.environmentOfFew(p.trial, i, "retry-"+n, "again-"+n),
			b.above("after-"+n, "before-"+n, op)))
		p.end = append(p.end, b.count("settled-"+n, op))
	}
	p.volley = []Action{volley, Start{Within: restartMost}}
	if counted(b.op) {
		p.volley = append([]Action{Fan{Branches: before}}, p.volley...)
	}
	p.environment = b.environment(p.trial, retriesAtOnce, NoHold, retries...)
	return p
}

// afterRestarting sends a request until its answer is final, all the time that
// the service may take to be itself again.
func afterRestarting(label, request string, within time.Duration) Repeat {
	r := recovered(label, request, within)
	r.Max += int(within / comeBackEvery)
	return r
}

// environmentOfFew tries a new key for every fourth operation at once where it
// met trouble: so many retries may run into a limit that is over soon.
func (b *builder) environmentOfFew(trial string, i int, labels ...string) []Action {
	if i%4 != 0 {
		return nil
	}
	return []Action{b.environmentOf(trial, "environment-"+strconv.Itoa(i), 1, NoHold, labels...)}
}
