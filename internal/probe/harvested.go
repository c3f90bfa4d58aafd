package probe

import (
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// harvestJudges judge what a harvest sent. What it did not come to has said so
// in the plan.
var harvestJudges = map[string]func(*judging){
	"duplicate": judgeHarvestedDuplicate,
	"conflict":  judgeHarvestedConflict,
	"expiry":    judgeHarvestedExpiry,
}

// sinceFirst is how long after a planted operation's first request something
// was, by the wall clock.
func (t *Trial) sinceFirst(at int64) time.Duration {
	sent, _ := t.When("first", FirstSent)
	return time.Duration(at - sent)
}

// rounded is a time between two runs as people are told it.
func rounded(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return d.Round(time.Minute).String()
	case d >= time.Minute:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

// passedBy tells how long it was, once a step.
func (j *judging) passedBy(d time.Duration) {
	for _, m := range j.result.Evidence.Measures {
		if m.Name == "passed since the first request" {
			return
		}
	}
	j.measure("passed since the first request", rounded(d)+", give or take "+inexact(d).Round(time.Millisecond).String(),
		"sent again "+rounded(d)+" after the first request")
}

// inTime says that an exchange came while its key was certainly to be
// remembered; else the reason is said.
func (j *judging) inTime(t *Trial, x *Exchange) bool {
	atLeast, _, _ := j.op.EffectiveRetention()
	passed := t.sinceFirst(x.Answer.LastByte)
	if passed+inexact(passed) <= atLeast {
		return true
	}
	j.unsure(j.op.Promise.Retention.Pos.Line, "plant again, and harvest sooner",
		"%s: the request came %s after the first: too late to show anything", t.Name, rounded(passed))
	return false
}

func judgeHarvestedDuplicate(j *judging) {
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	j.tellable()
	for _, t := range j.history.Trials {
		first, x, ok := j.sentLate(t)
		if !ok {
			continue
		}
		before := j.mark()
		wrong := ""
		if ran, more := j.ranLate(t, "settled"); ran {
			wrong = "duplicate/effect-ran-twice"
			j.accuse(t, Finding{Slug: wrong, Case: j.afterText(t, x), Expected: "no effect of a request that is sent again",
				Actual: "effects rose by " + itoa(more)}, p.Duplicate.Pos, "requests that share a key and a body have one effect together")
		}
		j.judgeRetry(t, late, first, x, wrong, "settled")
		j.examined(Case{Name: t.Name + ", " + j.afterText(t, x)}, before)
	}
}

func (j *judging) afterText(t *Trial, x *Exchange) string {
	return "after " + rounded(t.sinceFirst(x.Sent.WriteBegan))
}

// sentLate gives a trial's planted request and the one that was sent late and
// in time; ok is false where there is nothing to judge, and the reason is said.
func (j *judging) sentLate(t *Trial) (first, x *Exchange, ok bool) {
	x = t.Last(late)
	if x == nil {
		if len(t.Exchanges) > 0 {
			j.unsure(0, "harvest again", "%s: it was not sent again", t.Name)
		}
		return nil, nil, false
	}
	first, ok = j.first(t, "first")
	if !ok || j.environmental(t, x) {
		return nil, nil, false
	}
	if x.Sent == nil || x.Answer == nil {
		j.unsure(0, "harvest again", "%s: it could not be sent again: %s", t.Name, j.rules.describe(x))
		return nil, nil, false
	}
	if !j.inTime(t, x) {
		return nil, nil, false
	}
	j.passedBy(t.sinceFirst(x.Sent.WriteBegan))
	return first, x, true
}

// ranLate says whether effects rose by what the harvest sent, and by how many.
// Counts are compared with those read just before: what counts effects may have
// been emptied since the planting, which is no promise of the API's.
func (j *judging) ranLate(t *Trial, settled string) (ran bool, more int64) {
	if !j.sound() {
		return false, 0
	}
	was, ok1 := t.Counted(lateBefore)
	now, ok2 := t.Counted(settled)
	if !ok1 || !ok2 {
		j.unsure(0, "see why the counter failed", "%s: the counter gave nothing", t.Name)
		return false, 0
	}
	unit := j.controls.Unit
	if e := j.result.Evidence.Effects; e == nil || now.N-was.N > e.Settled-e.Before {
		j.result.Evidence.Effects = &Effects{Before: was.N, After: now.N, Settled: now.N, Unit: unit, CountedBy: string(j.op.Effects.Kind)}
	}
	if none, ok := t.Counted("before"); ok && was.N-none.N > unit {
		j.note("%s: %d effects were counted before it was sent again, %d is one operation's: more came after the planting", t.Name, was.N-none.N, unit)
	}
	if now.N <= was.N {
		j.early(t, settled)
	}
	return now.N > was.N, now.N - was.N
}

func judgeHarvestedConflict(j *judging) {
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	proved, tried := 0, 0
	for _, t := range j.history.Trials {
		again := t.Last("again")
		if again == nil || again.Answer == nil {
			if len(t.Exchanges) > 0 {
				j.unsure(0, "harvest again", "%s: not all requests were sent", t.Name)
			}
			continue
		}
		tried++
		before := j.mark()
		c := Case{Name: t.Name}
		if x := t.Last("changed"); x != nil && x.Request != nil {
			c.Name = x.Request.Change + ", after " + rounded(t.sinceFirst(again.Answer.LastByte))
		}
		proof, why := false, "too late"
		if j.inTime(t, again) {
			j.passedBy(t.sinceFirst(again.Answer.LastByte))
			proof, why = j.judgeLateMutation(t, c.Name)
		}
		if proof {
			proved++
		} else {
			c.Verdict, c.Text = Inconclusive, why
		}
		j.examined(c, before)
	}
	j.control("mutation", proved > 0, "%d of %d changed bodies are accepted under keys of their own", proved, tried)
	if proved == 0 && len(j.result.Reasons) == 0 {
		j.unsure(j.op.Request.Pos.Line, "give the request a body in which some value may be changed",
			"no changed body is accepted under its own key: a refusal proves nothing")
	}
}

// judgeLateMutation judges one changed body. Where what counts effects has been
// emptied since the planting, the answers are the only evidence.
func (j *judging) judgeLateMutation(t *Trial, name string) (proof bool, why string) {
	was, ok1 := t.Counted("after-first")
	now, ok2 := t.Counted(lateBefore)
	if j.sound() && ok1 && ok2 && now.N < was.N {
		j.note("%s: the counter shows %d effects, %d were counted when it was planted: it was judged by answers", t.Name, now.N, was.N)
		controls := j.controls
		defer func() { j.controls = controls }()
		j.controls.Counted, j.controls.Sound = false, false
	}
	return j.judgeMutation(t, name)
}

// judgeHarvestedExpiry judges keys that were left alone. Only what was seen in
// the retention's last quarter, now or by an earlier harvest, shows that keys
// are kept as long as promised; only what was seen after at_most that they are
// forgotten.
func judgeHarvestedExpiry(j *judging) {
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	j.tellable()
	atLeast, atMost, _ := j.op.EffectiveRetention()
	forgotten, after := false, false
	for _, t := range j.history.Trials {
		switch {
		case purposeOf(t.Name) == ForForget:
			after = true
			before := j.mark()
			forgotten = j.judgeForgottenLater(t, atLeast, atMost)
			j.examined(Case{Name: t.Name + ", after at_most"}, before)
		case t.Last(late) != nil:
			j.judgeKept(t, atLeast)
		}
	}
	for _, t := range j.history.Trials {
		if purposeOf(t.Name) != ForForget && t.Last("after") != nil {
			before := j.mark()
			j.judgeExtended(t, atLeast, atMost, forgotten)
			j.examined(Case{Name: t.Name + ", replayed within the retention, after at_most"}, before)
		}
	}
	j.measure("retention on this target", "at least "+atLeast.String()+", at most "+orNone(atMost), "")
	j.halves(after, atLeast, atMost)
}

// halves says which half of the step is still to be shown: a verdict needs both.
func (j *judging) halves(after bool, atLeast, atMost time.Duration) {
	line := j.op.Promise.Retention.Pos.Line
	for _, r := range j.planted.Remembered {
		if r.Operation == j.op.Name && j.result.Remembered == 0 {
			j.note("harvest %s saw keys remembered %s after their first request", r.Run, rounded(time.Duration(r.After)))
			j.result.Remembered = r.After
		}
	}
	if len(j.result.Findings) > 0 {
		return
	}
	if j.result.Remembered == 0 {
		j.unsure(line, "plant again, and harvest in the last quarter of the retention",
			"no harvest came in the last quarter of at_least (%s): that keys are kept until then was not shown", atLeast)
	}
	switch {
	case atMost == 0:
		j.note("retention.at_most is not stated: forgetting was not judged")
	case !after:
		j.unsure(line, "harvest again after at_most ("+atMost.String()+" after the planting)"+j.fromWhen(atMost),
			"that keys are forgotten can be told only after at_most")
	}
}

// fromWhen gives the wall clock's time from which forgetting can be told of the
// operations that were seen.
func (j *judging) fromWhen(atMost time.Duration) string {
	epoch, err := time.Parse(time.RFC3339Nano, j.epoch)
	if err != nil {
		return ""
	}
	var last time.Time
	for _, t := range j.history.Trials {
		if at, ok := t.When("first", LastAnswered); ok {
			if answered := epoch.Add(time.Duration(at)); answered.After(last) {
				last = answered
			}
		}
	}
	if last.IsZero() {
		return ""
	}
	return ", from about " + stamp(last.Add(atMost+inexact(atMost)).Add(time.Second))
}

// judgeKept judges a key in the last quarter of its retention.
func (j *judging) judgeKept(t *Trial, atLeast time.Duration) {
	first, x, ok := j.sentLate(t)
	if !ok || !j.final(t, x, "settled") {
		return
	}
	p := j.op.Promise
	before := j.mark()
	follows := ""
	if ran, more := j.ranLate(t, "settled"); ran {
		follows = "expiry/forgot-early"
		j.accuse(t, Finding{Slug: follows, Case: j.afterText(t, x), Follows: j.follows("duplicate/effect-ran-twice"),
			Expected: "no effect: the key is remembered for " + atLeast.String(), Actual: "effects rose by " + itoa(more)},
			p.Retention.Pos, "within the retention the key is remembered")
	}
	if shown := j.shown(j.rules.replay(first, x)); len(shown) > 0 {
		if follows == "" {
			follows = j.followsDuplicate()
		}
		j.accuse(t, Finding{Slug: "expiry/other-answer", Case: j.afterText(t, x), Follows: follows,
			Expected: j.expectedDuplicate(), Actual: list(shown)}, p.Retention.Pos, "within the retention a duplicate gets the promised answer")
	}
	passed := t.sinceFirst(x.Sent.WriteBegan)
	if j.mark() == before && passed-inexact(passed) >= lastQuarter(atLeast) {
		j.result.Remembered = int64(passed)
	}
	j.examined(Case{Name: t.Name + ", " + j.afterText(t, x)}, before)
}

// certainlyOver says that an exchange came after at_most, counted from the
// planted answer; else the reason is said.
func (j *judging) certainlyOver(t *Trial, x *Exchange, atMost time.Duration) bool {
	answered, _ := t.When("first", LastAnswered)
	if x.Sent != nil {
		passed := time.Duration(x.Sent.WriteBegan - answered)
		if passed-inexact(passed) > atMost {
			return true
		}
	}
	j.unsure(j.op.Promise.Retention.Pos.Line, "harvest again", "%s: the request after the retention was not sent, or too soon to show anything", t.Name)
	return false
}

// judgeForgottenLater judges the duplicates after at_most, and says whether the
// key was forgotten.
func (j *judging) judgeForgottenLater(t *Trial, atLeast, atMost time.Duration) bool {
	first, ok := j.first(t, "first")
	copies := t.Under("after")
	if !ok || len(copies) == 0 {
		j.unsure(0, "harvest again", "%s: the duplicates after the retention were not sent", t.Name)
		return false
	}
	for _, x := range copies {
		if !j.certainlyOver(t, x, atMost) {
			return false
		}
	}
	if j.forgottenAnew(t, atLeast, "after", "again") {
		return false
	}
	was, _ := t.Counted(lateBefore)
	if ran, more := j.ranLate(t, "settled"); ran && more > j.controls.Unit {
		j.ranAgainAndAgain(t, "", more)
	} else if !j.sound() && j.resultsDiffer(copies) {
		j.ranAgainAndAgain(t, "", 0)
	}
	after := j.deciding(t, copies)
	if !j.final(t, after, "settled") || j.environmental(t, after) {
		return false
	}
	return j.judgeForgetting(t, spans{atMost: atMost}, first, after, was.N)
}

// judgeExtended judges a key that was replayed within its retention, after it.
// Only where an untouched key is forgotten does one that is still remembered
// show that the replay moved the end on.
func (j *judging) judgeExtended(t *Trial, atLeast, atMost time.Duration, forgottenUntouched bool) {
	after := t.Last("after")
	first, ok := j.first(t, "first")
	if !ok || !forgottenUntouched || !j.certainlyOver(t, after, atMost) || j.forgottenAnew(t, atLeast, "after") || !j.final(t, after, "settled-after") || j.environmental(t, after) {
		return
	}
	was, _ := t.Counted(lateBefore)
	if ran, more := j.ranLate(t, "settled-after"); ran && more > j.controls.Unit {
		j.ranAgainAndAgain(t, "after a replay", more)
		return
	}
	if none, ok := t.Counted("before"); ok && j.sound() && was.N-none.N > j.controls.Unit {
		j.unsure(j.op.Promise.Retention.Pos.Line, "settle that first, and plant again",
			"%s: its effect ran again since it was planted: what is remembered may be that run's", t.Name)
		return
	}
	j.judgeEnd(t, spans{atMost: atMost}, first, after, was.N, touched{slug: "expiry/extended-by-replay"})
}

// harvestNote says of a report what it is the second half of.
func harvestNote(run *trace.Run) string {
	began, _, _ := strings.Cut(run.Planted.Epoch, ".")
	return "a harvest of what run " + run.Planted.Run + " planted at " + strings.TrimSuffix(began, "Z") + "Z: times between the two are the wall clock's"
}
