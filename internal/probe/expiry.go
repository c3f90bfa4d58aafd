package probe

import (
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// expiryStep passes a key's retention: within it the first result is given,
// after at_most it is forgotten, replays do not move it on, and duplicates that
// come together after it run once.
var expiryStep = Step{
	Name:  "expiry",
	What:  "a key is remembered as long as promised and forgotten when promised",
	plan:  planExpiry,
	judge: judgeExpiry,
}

// afterCopies is how many duplicates come together after the retention.
const afterCopies = 3

// spans are the times of an expiry plan.
type spans struct {
	atLeast, atMost time.Duration // effective on this target; atMost 0: not promised
	within          time.Duration // from the first send to the retry within the retention
	after           time.Duration // from the first answer to the requests after it
}

func spansOf(op *contract.Operation) (spans, bool) {
	atLeast, atMost, known := op.ExpiryRetention()
	if !known {
		return spans{}, false
	}
	margin := min(max(atLeast/8, 200*time.Millisecond), 2*time.Second)
	s := spans{atLeast: atLeast, atMost: atMost, within: atLeast - margin}
	s.after = atMost + 200*time.Millisecond
	if atMost == 0 {
		s.after = atLeast + max(atLeast/2, 500*time.Millisecond)
	}
	return s, true
}

func planExpiry(b *builder) {
	p := b.op.Promise
	switch {
	case !p.Retention.Known:
		b.plan.Idle = Reason{Text: "promise.retention is not stated", Line: p.Retention.Pos.Line}
		return
	case b.op.Expiry == nil:
		b.plan.Idle = Reason{Text: "expiry is not declared: how this target's retention is passed is unknown", Line: b.op.Pos.Line,
			Settle: "add expiry.wait or expiry.advance to the operation"}
		return
	}
	s, _ := spansOf(b.op)
	target := ""
	if len(b.op.Expiry.BaseURLs) > 0 {
		target = "expiry"
	}
	b.planRetained(s, target)
	b.planForgotten(s, target)
}

// pass waits, or moves the target's clock on.
func (b *builder) pass(label string, from Mark, d time.Duration) Action {
	if len(b.op.Expiry.Advance) > 0 {
		return Advance{By: d}
	}
	return Wait{For: label, From: from, Plus: d}
}

// expiryThread adds a thread that has the target to itself if it moves clocks.
func (b *builder) expiryThread(trial string, actions []Action) {
	b.plan.Threads = append(b.plan.Threads, Thread{Trial: trial,
		Exclusive: len(b.op.Expiry.Advance) > 0, Actions: actions})
}

// planRetained tries the key shortly before the retention ends and, where
// forgetting is promised, once more after it: the replay must not have moved
// the end on.
func (b *builder) planRetained(s spans, target string) {
	const trial = "retained"
	op := b.make(trial)
	id := b.freeze(trial, op, "")
	send := func(label string, copies int) Action {
		return Send{Label: label, Request: id, Copies: copies, Target: target}
	}
	actions := join(
		b.count("before", op),
		[]Action{send("first", 1)},
		b.appear("after-first", op),
		[]Action{b.pass("first", FirstSent, s.within), send("within", 1)},
		b.settled("settled", op))
	if s.atMost > 0 && b.op.Promise.Retention.Value.From != "last_use" {
		rest := b.pass("first", LastAnswered, s.after)
		if len(b.op.Expiry.Advance) > 0 {
			rest = Advance{By: s.after - s.within}
		}
		actions = join(actions, []Action{rest, send("after", 1)}, b.settled("settled-after", op))
	}
	b.expiryThread(trial, append(actions, b.environment(trial, 2, NoHold, "first", "within")))
}

// planForgotten leaves a key alone until its retention is over, then sends
// duplicates together, then one more.
func (b *builder) planForgotten(s spans, target string) {
	const trial = "forgotten"
	op := b.make(trial)
	id := b.freeze(trial, op, "")
	b.expiryThread(trial, join(
		b.count("before", op),
		[]Action{Send{Label: "first", Request: id, Copies: 1, Target: target}},
		b.appear("after-first", op),
		[]Action{
			b.pass("first", LastAnswered, s.after),
			Send{Label: "after", Request: id, Copies: afterCopies, Hold: HoldBody, Target: target},
			Settle{For: comeBackEvery},
			Send{Label: "again", Request: id, Copies: 1, Target: target},
		},
		b.settled("settled", op),
		[]Action{b.environment(trial, 2, NoHold, "first", "after")},
	))
}

func judgeExpiry(j *judging) {
	p := j.op.Promise
	if !p.Retention.Known {
		j.unknown("retention", p.Retention.Pos)
		return
	}
	s, ok := spansOf(j.op)
	if !ok || j.op.Expiry == nil {
		return
	}
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	forgotten := j.judgeForgotten(j.history.Trial("forgotten"), s)
	j.judgeRetained(j.history.Trial("retained"), s, forgotten)
	j.measure("retention on this target", "at least %s, at most %s", s.atLeast, orNone(s.atMost))
	if s.atMost == 0 {
		j.note("retention.at_most is not stated: forgetting was not judged")
	}
}

func orNone(d time.Duration) string {
	if d == 0 {
		return "not stated"
	}
	return d.String()
}

// judgeRetained judges the retry within the retention, and whether it moved
// the end on.
func (j *judging) judgeRetained(t *Trial, s spans, forgottenUntouched bool) {
	p := j.op.Promise
	first, ok := j.first(t, "first")
	if !ok {
		return
	}
	within := t.Last("within")
	if within == nil || within.Answer == nil || within.Sent == nil {
		j.unsure(0, "run the step again", "the retry within the retention was not sent")
		return
	}
	if j.op.Expiry.Wait > 0 && time.Duration(within.Answer.LastByte-first.Sent.WriteBegan) > s.atLeast {
		j.unsure(j.op.Expiry.Pos.Line, "give the target a longer retention (expiry.wait)",
			"the retry within the retention came too late to show anything")
		return
	}
	if j.environmental(t, within) {
		return
	}
	ran := j.retainedRan(t)
	shown, _ := told(j.rules.replay(first, within))
	if len(shown) > 0 {
		f := Finding{Slug: "expiry/other-answer", Case: "within the retention", Expected: j.expectedDuplicate(), Actual: list(shown)}
		if ran {
			f.Follows = "expiry/forgot-early"
		}
		for _, slug := range []string{"duplicate/other-answer", "duplicate/refused", "duplicate/not-refused"} {
			if known := j.follows(slug); known != "" {
				f.Follows = known
			}
		}
		j.accuse(t, f, p.Retention.Pos, "within the retention a duplicate gets the promised answer")
	}
	j.judgeSliding(t, s, first, forgottenUntouched)
}

// retainedRan says whether the effect ran again within the retention.
func (j *judging) retainedRan(t *Trial) bool {
	e, ok := j.counts(t, "before", "after-first", "settled")
	if !ok || e.Settled-e.Before <= e.Unit {
		return false
	}
	j.accuse(t, Finding{Slug: "expiry/forgot-early", Follows: j.follows("duplicate/effect-ran-twice"),
		Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(e.Settled-e.Before)},
		j.op.Promise.Retention.Pos, "within the retention the key is remembered")
	return true
}

// judgeSliding judges the request after the retention of a key that was
// replayed within it. Only where an untouched key is forgotten does a key that
// is still remembered show that the replay moved the end on.
func (j *judging) judgeSliding(t *Trial, s spans, first *Exchange, forgottenUntouched bool) {
	after := t.Last("after")
	if after == nil || s.atMost == 0 || !forgottenUntouched || j.rules.class(after).none {
		return
	}
	if still, known := j.remembered(t, first, after, "settled", "settled-after"); known && still {
		j.accuse(t, Finding{Slug: "expiry/extended-by-replay", Expected: "forgotten " + s.atMost.String() + " after " + j.op.Promise.Retention.Value.From,
			Actual: "the first result, after a replay within the retention"}, j.op.Promise.Retention.Pos,
			"the retention counts from "+j.op.Promise.Retention.Value.From+": a replay does not move its end")
	}
}

// remembered says whether an answer after the retention is the stored one.
// "Stored" and "run again" can be told apart only by a marker, a changing
// answer or an effect (contract-v1, Steps).
func (j *judging) remembered(t *Trial, first, after *Exchange, before, settled string) (still, known bool) {
	if j.rules.marked(after) {
		return true, true
	}
	shown, unknown := told(j.rules.differences(first, after))
	same := len(shown) == 0 && !unknown
	if same && j.controls.Vary {
		return true, true // a new run would have been answered otherwise
	}
	if !j.sound() {
		return false, j.controls.Vary
	}
	was, ok1 := t.Counted(before)
	now, ok2 := t.Counted(settled)
	if !ok1 || !ok2 {
		return false, false
	}
	return now.N == was.N && same, true
}

// judgeForgotten judges the duplicates after the retention and says whether
// the key was forgotten.
func (j *judging) judgeForgotten(t *Trial, s spans) bool {
	p := j.op.Promise
	first, ok := j.first(t, "first")
	if !ok {
		return false
	}
	copies := t.Under("after")
	after := j.winner(copies)
	if len(copies) == 0 {
		j.unsure(0, "run the step again", "the duplicates after the retention were not sent")
		return false
	}
	j.ranOnceAfter(t)
	if after == nil {
		after = copies[len(copies)-1]
	}
	if j.environmental(t, after) {
		return false
	}
	still, known := j.remembered(t, first, after, "after-first", "settled")
	if !known {
		j.unsure(p.Retention.Pos.Line, "declare effects, or a marker",
			"whether the key was forgotten cannot be told: answers do not differ and no effect is counted")
		return false
	}
	if still {
		if s.atMost > 0 {
			j.accuse(t, Finding{Slug: "expiry/never-forgets", Expected: "forgotten " + s.atMost.String() + " after the first answer",
				Actual: "the first result"}, p.Retention.Pos, "after at_most the key is forgotten")
		}
		return false
	}
	j.answerAfter(t, after)
	return true
}

// ranOnceAfter judges how often the duplicates after the retention ran.
func (j *judging) ranOnceAfter(t *Trial) {
	if !j.sound() {
		return
	}
	was, ok1 := t.Counted("after-first")
	now, ok2 := t.Counted("settled")
	if !ok1 || !ok2 {
		j.unsure(0, "see why the counter failed", "the counter gave nothing after the retention")
		return
	}
	if more := now.N - was.N; more > j.controls.Unit {
		follows := j.follows("concurrent/effect-ran-twice")
		if dup := j.follows("duplicate/effect-ran-twice"); dup != "" {
			follows = dup
		}
		j.accuse(t, Finding{Slug: "expiry/ran-more-than-once", Follows: follows,
			Expected: "at most one more operation: " + itoa(j.controls.Unit), Actual: "effects rose by " + itoa(more)},
			j.op.Promise.Retention.Pos, "duplicates that come together after the retention run once")
	}
}

// answerAfter judges the answer of a forgotten key where one is promised.
func (j *judging) answerAfter(t *Trial, after *Exchange) {
	o := j.op.Promise.AfterRetention
	f := Finding{Slug: "expiry/wrong-answer", Actual: j.rules.describe(after)}
	switch {
	case !o.Known || o.Value.Mode == "any":
		return
	case o.Value.Match != nil:
		if after.Whole() && j.rules.matches(o.Value.Match, after.Answer) {
			return
		}
		f.Expected = o.Value.Match.String()
	case j.rules.accepted(after):
		return
	default:
		f.Expected = "a new operation"
	}
	j.accuse(t, f, o.Pos, "after the retention the key is answered as declared")
}
