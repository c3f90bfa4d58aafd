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

// Bounds of the kills: one SIGKILL meets many keys (contract-v1, Steps), and
// kills are repeated only until one has landed.
const (
	keysPerKill  = 24
	mostKills    = 5
	restartMost  = 30 * time.Second
	reachOfFirst = 1.5 // the first volley spans one and a half answer times
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
	var actions []Action
	kills := mostKills
	if !counted(b.op) {
		kills = 1 // that one has landed cannot be seen
	}
	for k := 1; k <= kills; k++ {
		try := b.planKill(k)
		if k > 1 {
			actions = append(actions, If{When: Condition{Fact: NotLanded}, Body: []Action{try}})
		} else {
			actions = append(actions, try)
		}
	}
	b.plan.Threads = append(b.plan.Threads, Thread{Trial: "kill-1", Exclusive: true, Actions: actions})
}

// recovery is how long after the restart an operation may still be blocked.
func recovery(op *contract.Operation) time.Duration {
	if op.Crash.Recovery > 0 {
		return op.Crash.Recovery
	}
	return op.Promise.Lease.Value
}

// planKill plans one kill. Volleys reach further each time, in case the answer
// time that was seen is not the one under load.
func (b *builder) planKill(k int) Action {
	trial := "kill-" + strconv.Itoa(k)
	volley := Volley{Label: "volley", Reach: reachOfFirst * float64(k) / 2}
	if k == 1 {
		volley.Reach = reachOfFirst
	}
	var before, look, retry, end [][]Action
	var retries []string
	for i := 0; i < keysPerKill; i++ {
		n := strconv.Itoa(i)
		op := b.make(trial + "/" + n)
		id := b.freeze(trial+"/"+n, op, "")
		volley.Requests = append(volley.Requests, id)
		before = append(before, b.count("before-"+n, op))
		look = append(look, b.count("survived-"+n, op))
		retries = append(retries, "retry-"+n)
		retry = append(retry, join(
			[]Action{Repeat{
				Body:   []Action{Send{Label: "retry-" + n, Request: id, Copies: 1}},
				While:  Condition{Fact: Unsettled, Labels: []string{"retry-" + n}, Recovering: true},
				Every:  comeBackEvery,
				Within: recovery(b.op),
				Max:    comeBackMost + int(recovery(b.op)/comeBackEvery),
			}},
			[]Action{comeBack("again-"+n, id, patience(b.op))},
			b.above("after-"+n, "before-"+n, op)))
		end = append(end, b.count("settled-"+n, op))
	}
	body := []Action{volley, Start{Within: restartMost}}
	if counted(b.op) {
		// An effect that is counted late is seen before anything is sent again.
		body = append([]Action{Fan{Branches: before}}, body...)
		body = append(body, Settle{For: b.op.Effects.Settle}, Fan{Branches: look}, Fan{Branches: retry},
			Settle{For: b.op.Effects.Settle}, Fan{Branches: end})
	} else {
		body = append(body, Fan{Branches: retry})
	}
	return Try{Trial: trial, Body: append(body, b.environment(trial, 2, NoHold, retries...))}
}
