package probe

import (
	"fmt"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
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
			Line: b.op.Promise.Lease.Pos.Line, Settle: "state promise.lease or crash.recovery"}
		return
	}
	var actions []Action
	for k := 1; k <= mostKills; k++ {
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
	var look, retry, end [][]Action
	for i := 0; i < keysPerKill; i++ {
		n := strconv.Itoa(i)
		op := b.make(trial + "/" + n)
		id := b.freeze(trial+"/"+n, op, "")
		volley.Requests = append(volley.Requests, id)
		look = append(look, b.count("survived-"+n, op))
		retry = append(retry, join(
			[]Action{Repeat{
				Body:   []Action{Send{Label: "retry-" + n, Request: id, Copies: 1}},
				While:  Condition{Fact: Unsettled, Labels: []string{"retry-" + n}},
				Every:  comeBackEvery,
				Within: recovery(b.op),
				Max:    comeBackMost + int(recovery(b.op)/comeBackEvery),
			}},
			b.appear("after-"+n, op)))
		end = append(end, b.count("settled-"+n, op))
	}
	body := []Action{volley, Start{Within: restartMost}}
	if counted(b.op) {
		body = append(body, Fan{Branches: look}, Fan{Branches: retry},
			Settle{For: b.op.Effects.Settle}, Fan{Branches: end})
	} else {
		body = append(body, Fan{Branches: retry})
	}
	return Try{Trial: trial, Body: body}
}

// killed is one operation of a volley as it came out.
type killed struct {
	index     string
	sent      *Exchange
	retry     *Exchange
	survived  int64 // effects after the restart, before any retry
	settled   int64
	counted   bool
	answered  bool // a whole answer came before the kill
	lostEarly bool // its connection ended before the kill: not the kill's doing
}

// landed says that the kill fell between the operation's effect and its answer.
func (k killed) landed() bool {
	return k.counted && k.sent != nil && !k.answered && !k.lostEarly && k.survived > 0
}

// volleyOf reads one kill's operations out of its trial.
func volleyOf(t *Trial) (ops []killed, kill *Moment) {
	for i := range t.Moments {
		if m := &t.Moments[i]; m.Kind == trace.KindKill && m.Process.Error == "" && kill == nil {
			kill = m
		}
	}
	for i, x := range t.Under("volley") {
		n := strconv.Itoa(i)
		k := killed{index: n, sent: x, answered: x.Whole(), retry: t.Last("retry-" + n)}
		if kill != nil && !k.answered && x.Answer != nil && x.Answer.LastByte > 0 && x.Answer.LastByte < kill.At {
			k.lostEarly = true
		}
		survived, ok1 := t.Counted("survived-" + n)
		settled, ok2 := t.Counted("settled-" + n)
		k.survived, k.settled, k.counted = survived.N, settled.N, ok1 && ok2
		if ok1 && !ok2 && len(t.Counts) > 0 {
			k.counted = survived.Error == "" && settled.Label == ""
		}
		ops = append(ops, k)
	}
	return ops, kill
}

func judgeCrash(j *judging) {
	if j.op.Crash == nil {
		return
	}
	landed, kills, early := 0, 0, 0
	for _, t := range j.history.Trials {
		ops, kill := volleyOf(t)
		if kill == nil {
			continue
		}
		kills++
		if !j.restarted(t) {
			continue
		}
		findings := len(j.result.Findings)
		text := j.judgeVolley(t, ops, &landed, &early)
		c := Case{Name: t.Name, Verdict: Pass, Text: text}
		if len(j.result.Findings) > findings {
			c.Verdict = Fail
		}
		j.result.Cases = append(j.result.Cases, c)
	}
	j.measure("kills", "%d, operations caught between effect and answer: %d", kills, landed)
	if early > 0 {
		j.note("%d answers were lost on the wire before the kill: that is the network, not the crash", early)
	}
	j.crashShown(kills, landed)
}

// crashShown says what a pass of this step lacks.
func (j *judging) crashShown(kills, landed int) {
	if len(j.result.Findings) > 0 {
		return
	}
	switch {
	case kills == 0:
		why := "the service was not killed"
		for _, t := range j.history.Trials {
			if len(t.Undone) > 0 {
				why += ": " + t.Undone[0]
				break
			}
		}
		j.unsure(j.op.Crash.Pos.Line, "see that crash.process or crash.hooks work", "%s", why)
	case !j.controls.Counted:
		j.unsure(j.op.Pos.Line, "declare effects: http, command, sql or sink",
			"answers alone cannot show that a kill fell between effect and answer")
	case landed == 0:
		j.unsure(j.op.Crash.Pos.Line, "give the service time between effect and answer, or run the step again",
			"no kill of %d fell between an effect and its answer", kills)
	}
}

// restarted says that the service was ready again after the kill.
func (j *judging) restarted(t *Trial) bool {
	for _, m := range t.Moments {
		if m.Kind != trace.KindReady {
			continue
		}
		if m.Process.Ready {
			return true
		}
		j.accuse(t, Finding{Slug: "crash/did-not-restart", Case: t.Name, Expected: "the service is ready again",
			Actual: m.Process.Error}, j.op.Crash.Pos, "a killed service can be started again")
		return false
	}
	j.unsure(j.op.Crash.Pos.Line, "run the step again", "%s: the service was not started again", t.Name)
	return false
}

// judgeVolley judges every operation of one kill.
func (j *judging) judgeVolley(t *Trial, ops []killed, landed, early *int) string {
	between, before := 0, 0
	for _, k := range ops {
		if k.lostEarly {
			*early++
		}
		if k.landed() && j.sound() {
			between++
		}
		if k.answered {
			before++
		}
		j.judgeKilled(t, k)
	}
	*landed += between
	return fmt.Sprintf("%d operations: %d answered before the kill, %d between effect and answer", len(ops), before, between)
}

func (j *judging) judgeKilled(t *Trial, k killed) {
	if k.retry == nil {
		j.unsure(0, "run the step again", "%s: operation %s was not retried", t.Name, k.index)
		return
	}
	if j.tooLate(k) {
		j.unsure(j.op.Crash.Pos.Line, "give the target a longer retention (expiry.wait)",
			"%s: operation %s was retried after its retention: that shows nothing", t.Name, k.index)
		return
	}
	p := j.op.Promise
	pos := p.Lease.Pos
	if !p.Lease.Known {
		pos = j.op.Crash.Pos
	}
	f := Finding{Exchanges: j.ofOperation(t, k), Counts: countsOf(t, k.index), Expected: "one effect and its result"}
	if j.sound() && k.counted && k.settled > j.controls.Unit {
		f.Slug, f.Follows = "crash/effect-ran-twice", j.follows("duplicate/effect-ran-twice")
		f.Actual = fmt.Sprintf("%d effects, %s", k.settled/j.controls.Unit, j.story(k))
		j.accuseKind(t, j.named(f, t, k), p.Duplicate.Pos, "after a crash the retry has no second effect")
		return
	}
	if j.sound() && k.counted && k.settled < j.controls.Unit && (k.answered && j.rules.accepted(k.sent) || j.rules.accepted(k.retry)) {
		f.Slug = "crash/receipt-without-effect"
		f.Actual = fmt.Sprintf("answered as done, yet %d effects are there, %s", k.settled, j.story(k))
		j.accuseKind(t, j.named(f, t, k), p.Duplicate.Pos, "what was answered as done is done, also after a crash")
		return
	}
	j.judgeRetryAfterKill(t, k, f, pos)
}

// judgeRetryAfterKill judges the retry's answer where the counts are right.
func (j *judging) judgeRetryAfterKill(t *Trial, k killed, f Finding, pos contract.Pos) {
	c := j.rules.class(k.retry)
	f.Actual = j.rules.describe(k.retry) + ", " + j.story(k)
	switch {
	case c.inFlight || j.rules.unsettled(k.retry) && k.retry.Whole() && k.retry.Answer.Status == 409:
		f.Slug, f.Expected = "crash/stuck-in-progress", "within "+recovery(j.op).String()+" of the restart the key is free or answered"
		j.accuseKind(t, j.named(f, t, k), pos, "a dead owner blocks its key no longer than the lease")
	case k.answered && j.rules.accepted(k.sent):
		if !j.rules.accepted(k.retry) && j.op.Promise.Duplicate.Value.Mode != "answer" {
			f.Slug, f.Expected = "crash/result-lost", "the result that was answered before the kill"
			j.accuseKind(t, j.named(f, t, k), j.op.Promise.Duplicate.Pos, "a result that was answered is kept")
			return
		}
		if shown, _ := told(j.rules.replay(k.sent, k.retry)); len(shown) > 0 {
			f.Slug, f.Expected = "crash/result-changed", "the result that was answered before the kill"
			f.Actual = list(shown)
			j.accuseKind(t, j.named(f, t, k), j.op.Promise.Duplicate.Pos, "a result that was answered is kept")
		}
	case !c.accepted && !(c.duplicate && k.survived > 0):
		f.Slug = "crash/refused"
		j.accuseKind(t, j.named(f, t, k), pos, "within the recovery time the retry completes the operation")
	}
}

// tooLate says that the retry came after the key's effective retention.
func (j *judging) tooLate(k killed) bool {
	atLeast, _, known := j.op.EffectiveRetention()
	if !known || k.sent.Sent == nil || k.retry.Sent == nil {
		return false
	}
	return time.Duration(k.retry.Sent.WriteEnded-k.sent.Sent.WriteBegan) >= atLeast
}

func (j *judging) named(f Finding, t *Trial, k killed) Finding {
	f.Case = t.Name
	return f
}

// story says where the kill met an operation.
func (j *judging) story(k killed) string {
	switch {
	case k.answered:
		return "answered before the kill"
	case k.lostEarly:
		return "its connection ended before the kill"
	case k.counted && k.survived > 0:
		return "killed between effect and answer"
	}
	return "killed before its effect was seen"
}

func (j *judging) ofOperation(t *Trial, k killed) []Exchange {
	out := []Exchange{*k.sent}
	for _, x := range t.Under("retry-" + k.index) {
		out = append(out, *x)
	}
	return out
}

func countsOf(t *Trial, index string) []Counted {
	var out []Counted
	for _, c := range t.Counts {
		switch c.Label {
		case "survived-" + index, "after-" + index, "settled-" + index:
			out = append(out, c)
		}
	}
	return out
}
