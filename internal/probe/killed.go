package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// killed is one operation of a volley as it came out.
type killed struct {
	index     string
	sent      *Exchange
	retry     *Exchange
	again     *Exchange // the second retry
	survived  int64     // effects after the restart, before any retry
	settled   int64     // effects in the end
	seen      bool      // survived was read
	counted   bool      // settled was read
	why       string    // why a count is missing
	answered  bool      // a whole answer of the service's came
	lostEarly bool      // its connection ended before the kill: not the kill's doing
}

// landed says that the kill fell between the operation's effect and its answer.
func (k killed) landed() bool {
	return k.seen && k.survived > 0 && k.sent.Sent != nil && !k.answered && !k.lostEarly
}

// volleyOf reads one kill's operations out of its trial. Kill is nil where the
// service was not killed.
func volleyOf(t *Trial) (ops []killed, kill *Moment) {
	for i := range t.Moments {
		if m := &t.Moments[i]; m.Kind == trace.KindKill && m.Process.Error == "" && kill == nil {
			kill = m
		}
	}
	for _, x := range t.Under("volley") {
		n := strconv.Itoa(x.Copy)
		k := killed{index: n, sent: x, answered: x.Whole() && !toldOfKill(x, kill), retry: t.Last("retry-" + n), again: t.Last("again-" + n)}
		// Of an answer that was begun the last byte is not the end: the kill itself
		// may have cut it off.
		if kill != nil && !k.answered && x.Answer != nil && x.Answer.Ended > 0 && x.Answer.Ended < kill.At {
			k.lostEarly = true
		}
		before, none := t.Counted("before-" + n)
		survived, seen := t.Counted("survived-" + n)
		settled, counted := t.Counted("settled-" + n)
		k.survived, k.seen = survived.N-before.N, none && seen
		k.settled, k.counted = settled.N-before.N, none && counted
		k.why = cmp.Or(before.Error, survived.Error, settled.Error, "it was not read")
		ops = append(ops, k)
	}
	return ops, kill
}

// toldOfKill says that an answer is none of the service's: what stands in front
// of it said after the kill that there is nobody behind it (RFC 9110, 15.6.3 to
// 15.6.5). Without it the connection would just have ended.
func toldOfKill(x *Exchange, kill *Moment) bool {
	if kill == nil || !x.Whole() || x.Answer.FirstByte <= kill.At {
		return false
	}
	return x.Answer.Status == 502 || x.Answer.Status == 503 || x.Answer.Status == 504
}

// notReady says that the service was started again and was not ready in time.
func (t *Trial) notReady() bool {
	for _, m := range t.Moments {
		if m.Kind == trace.KindReady {
			return !m.Process.Ready
		}
	}
	return false
}

// killTally is what the kills of a step came to.
type killTally struct {
	kills, restarts, landed, early int
	moments                        []int64 // how long before a kill each unanswered operation was written
}

// closeness gives how far apart most of the moments are, from an operation's
// writing on, at which a kill met one: what happens between can be missed. Not
// all, since the few that were answered slowest stand far out.
func (k killTally) closeness() (gap time.Duration, known bool) {
	moments := slices.Clone(k.moments)
	slices.Sort(moments)
	var gaps []int64
	last := int64(0)
	for _, m := range moments {
		gaps, last = append(gaps, m-last), m
	}
	return quantile(gaps, 0.9).Round(100 * time.Microsecond), len(moments) > 0
}

func judgeCrash(j *judging) {
	if j.op.Crash == nil {
		j.unsure(j.op.Pos.Line, "add crash.process or crash.hooks to the operation", "crash is not declared: nothing may be killed")
		return
	}
	if !j.op.Promise.Duplicate.Known {
		j.unknown("duplicate", j.op.Promise.Duplicate.Pos)
		return
	}
	var tally killTally
	for i := 1; i <= mostKills; i++ {
		t := j.history.known("kill-" + strconv.Itoa(i))
		if t == nil {
			continue
		}
		ops, kill := volleyOf(t)
		if kill == nil {
			continue
		}
		tally.kills++
		before := j.mark()
		c := Case{Name: t.Name}
		if j.restarted(t) {
			tally.restarts++
			c.Text = j.judgeVolley(t, ops, &tally)
			tally.measure(ops, kill)
		}
		j.examined(c, before)
	}
	j.measureKills(tally)
	j.crashShown(tally)
}

// measure takes in when a kill met its operations.
func (k *killTally) measure(ops []killed, kill *Moment) {
	for _, o := range ops {
		if o.sent.Sent != nil && !o.answered && !o.lostEarly && o.sent.Sent.WriteEnded < kill.At {
			k.moments = append(k.moments, kill.At-o.sent.Sent.WriteEnded)
		}
	}
}

func (j *judging) measureKills(k killTally) {
	sentence := ""
	if k.landed > 0 {
		sentence = some(k.kills, "kill", "kills") + " caught " + some(k.landed, "operation", "operations") + " between effect and answer"
	}
	j.measure("kills", fmt.Sprintf("%d, operations caught between effect and answer: %d", k.kills, k.landed), sentence)
	if gap, known := k.closeness(); known && k.landed > 0 {
		j.measure("moments of the kills", itoa(int64(len(k.moments)))+", "+gap.String()+" apart",
			"they met operations at moments up to "+gap.String()+" apart: a shorter fault between can be missed")
	}
	switch {
	case k.early == 1:
		j.note("1 answer was lost on the wire before the kill: that is the network, not the crash")
	case k.early > 1:
		j.note("%d answers were lost on the wire before the kill: that is the network, not the crash", k.early)
	}
}

// crashShown says what a pass of this step lacks.
func (j *judging) crashShown(tally killTally) {
	if len(j.result.Findings) > 0 {
		return
	}
	switch {
	case tally.kills == 0:
		j.unsure(j.op.Crash.Pos.Line, "see that crash.process or crash.hooks work", "%s", j.notKilled())
	case !j.controls.Counted:
		j.unsure(j.op.Pos.Line, "declare effects: http, command, sql or sink",
			"answers alone cannot show that a kill fell between effect and answer")
	case tally.landed == 0 && tally.restarts > 0 && j.sound():
		j.unsure(j.op.Crash.Pos.Line, "give the service time between effect and answer, for example 40 ms after the commit, "+
			"switched on by a variable under crash.process.env; or run the step again",
			"no kill of %d fell between an effect and its answer", tally.kills)
	}
}

// notKilled says why there was no kill.
func (j *judging) notKilled() string {
	const why = "the service was not killed"
	for _, t := range j.history.Trials {
		for _, m := range t.Moments {
			if m.Kind == trace.KindKill && m.Process.Error != "" {
				return why + ": " + m.Process.Error
			}
		}
		if len(t.Undone) > 0 {
			return why + ": " + t.Undone[0]
		}
	}
	return why
}

// restarted says that the service was ready again after the kill.
func (j *judging) restarted(t *Trial) bool {
	for _, m := range t.Moments {
		if m.Kind != trace.KindReady {
			continue
		}
		switch {
		case m.Process.Ready:
			return true
		case m.Process.Hook:
			j.unsure(j.op.Crash.Pos.Line, "see that crash.hooks.start starts the service again, by hand",
				"%s: the service was not ready again, and whether the hook or the service failed is not told: %s", t.Name, m.Process.Error)
			return false
		case m.Process.PID == 0:
			j.unsure(j.op.Crash.Pos.Line, "see that crash.process.command is the service itself, which ends when it is killed",
				"%s: the service could not be started again: %s", t.Name, m.Process.Error)
			return false
		}
		j.accuse(t, Finding{Slug: "crash/did-not-restart", Case: t.Name, Expected: "the service is ready again",
			Actual: m.Process.Error}, j.op.Crash.Pos, "a killed service can be started again")
		return false
	}
	j.unsure(j.op.Crash.Pos.Line, "run the step again", "%s: the service was not started again", t.Name)
	return false
}

// judgeVolley judges every operation of one kill.
func (j *judging) judgeVolley(t *Trial, ops []killed, tally *killTally) string {
	between, before := 0, 0
	for _, k := range ops {
		if k.lostEarly {
			tally.early++
		}
		if k.landed() && j.sound() {
			between++
		}
		if k.answered {
			before++
		}
		j.judgeKilled(t, k)
	}
	tally.landed += between
	return fmt.Sprintf("%d operations: %d answered before the kill, %d between effect and answer", len(ops), before, between)
}

func (j *judging) judgeKilled(t *Trial, k killed) {
	if k.retry == nil {
		j.unsure(0, "run the step again", "%s: some operations were not retried", t.Name)
		return
	}
	if late := j.sentTooLate(k, k.retry); late || j.tooLate(k, k.retry) || k.again != nil && j.tooLate(k, k.again) {
		if late || !j.judgeWaiting(t, k) {
			j.unsure(j.op.Crash.Pos.Line, "give the target a longer retention (expiry.wait)",
				"%s: operations were retried after their retention: that shows nothing", t.Name)
		}
		return
	}
	if !j.final(t, k.retry, "again-"+k.index, "after-"+k.index, "settled-"+k.index) || j.environmental(t, k.retry) {
		return
	}
	f := Finding{Case: t.Name, Exchanges: ofOperation(t, k), Counts: countsOf(t, k.index), Expected: "one effect and its result"}
	if j.sound() && !j.killedCounts(t, k, f) {
		return
	}
	before := j.mark()
	if !j.judgeWaiting(t, k) {
		j.judgeRetryAfterKill(t, k, f)
	}
	if j.mark() == before {
		j.judgeSecondRetry(t, k, f)
	}
}

// killedCounts judges an operation's effects, and says whether they are right.
func (j *judging) killedCounts(t *Trial, k killed, f Finding) bool {
	if !k.counted || !k.seen {
		j.unsure(0, "see why the counter failed", "%s: the counter gave nothing for some operations: %s", t.Name, k.why)
		return false
	}
	e := Effects{After: k.survived, Settled: k.settled, Unit: j.controls.Unit, CountedBy: string(j.op.Effects.Kind)}
	j.result.Evidence.Effects = j.worse(e)
	c := j.rules.class(k.retry)
	promise := j.op.Promise.Duplicate.Pos
	switch {
	case e.Settled > e.Unit:
		f.Slug, f.Follows = "crash/effect-ran-twice", j.follows("duplicate/effect-ran-twice")
		f.Actual = fmt.Sprintf("effects counted: %d, unit %d, %s", e.Settled, e.Unit, j.story(k))
		j.accuse(t, f, promise, "after a crash the retry has no second effect")
	case e.Settled < e.Unit && (k.answered && j.rules.class(k.sent).welcome || c.welcome || c.duplicate && !c.inFlight):
		f.Slug = "crash/receipt-without-effect"
		f.Actual = fmt.Sprintf("answered as done, effects counted: %d, %s", e.Settled, j.story(k))
		j.accuse(t, f, promise, "what was answered as done is done, also after a crash")
	default:
		return !j.early(t, "settled-"+k.index)
	}
	return false
}

// judgeRetryAfterKill judges the retry's answer where the counts are right.
func (j *judging) judgeRetryAfterKill(t *Trial, k killed, f Finding) {
	c := j.rules.class(k.retry)
	pos := leasePos(j.op)
	f.Actual = j.rules.describe(k.retry) + ", " + j.story(k)
	// Of what the kill left done, the retry is a duplicate like any other.
	done := k.seen && k.survived > 0 || k.answered && j.rules.class(k.sent).welcome ||
		c.duplicate && (!j.sound() || k.settled >= j.controls.Unit)
	if done {
		f.Follows = j.followsDuplicate()
	}
	switch {
	case c.duplicate && done:
		return // the duplicate's answer, also where in flight looks the same
	case c.inFlight || !c.welcome && !c.trouble && j.rules.recovering(k.retry) && k.retry.Answer.Status < 500:
		f.Slug, f.Expected = blockedKey(j.op).Slug, blockedKey(j.op).Expected
		j.accuse(t, f, pos, ownerBlocks)
	case c.trouble:
		f.Slug = "crash/refused"
		j.accuse(t, f, pos, "within the recovery time the retry completes the operation")
	case k.answered && j.rules.class(k.sent).welcome:
		j.judgeResultAfterKill(t, k, f)
	case !c.welcome && (k.answered || !j.controls.Answers):
		j.unsure(j.op.Request.Pos.Line, "make the contract's request one that the API accepts",
			"%s: the operation is refused without a crash too: %s", t.Name, j.rules.tell(k.retry))
	case !c.welcome:
		f.Slug = "crash/refused"
		j.accuse(t, f, pos, "within the recovery time the retry completes the operation")
	default:
		j.judgeShapeAfterKill(t, k, f)
	}
}

// judgeResultAfterKill judges the retry of an operation that had been answered.
func (j *judging) judgeResultAfterKill(t *Trial, k killed, f Finding) {
	shown := j.shown(j.rules.replay(k.sent, k.retry))
	if len(shown) == 0 {
		return
	}
	f.Slug, f.Expected = "crash/result-lost", "the result that was answered before the kill"
	if j.rules.class(k.retry).welcome && j.op.Promise.Duplicate.Value.Mode != "answer" {
		f.Slug, f.Actual = "crash/result-changed", list(shown)
	}
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, "a result that was answered is kept")
}

// sentTooLate says that a retry came after the key's effective retention.
func (j *judging) sentTooLate(k killed, x *Exchange) bool {
	atLeast, _, known := j.op.EffectiveRetention()
	if !known || k.sent.Sent == nil || x.Sent == nil {
		return false
	}
	return time.Duration(x.Sent.WriteEnded-k.sent.Sent.WriteBegan) >= atLeast
}

// tooLate says that its key may have been looked up after that: one that was
// written in time may have waited for its turn until it was answered.
func (j *judging) tooLate(k killed, x *Exchange) bool {
	atLeast, _, known := j.op.EffectiveRetention()
	return j.sentTooLate(k, x) || known && k.sent.Sent != nil && x.Whole() &&
		time.Duration(x.Answer.FirstByte-k.sent.Sent.WriteBegan) >= atLeast
}

// story says where the kill met an operation.
func (j *judging) story(k killed) string {
	switch {
	case k.answered:
		return "answered before the kill"
	case k.lostEarly:
		return "its connection ended before the kill"
	case k.sent.Sent == nil:
		return "not written before the kill"
	case k.seen && k.survived > 0:
		return "killed between effect and answer"
	}
	return "killed before its effect was seen"
}

func ofOperation(t *Trial, k killed) []Exchange {
	out := []Exchange{*k.sent}
	for _, label := range []string{"retry-", "again-"} {
		for _, x := range t.Under(label + k.index) {
			out = append(out, *x)
		}
	}
	return out
}

func countsOf(t *Trial, index string) []Counted {
	var out []Counted
	for _, c := range t.Counts {
		switch c.Label {
		case "before-" + index, "survived-" + index, "after-" + index, "settled-" + index, "final-" + index:
			out = append(out, c)
		}
	}
	return out
}
