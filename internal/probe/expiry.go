package probe

import (
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// expiryStep passes a key's retention: within it the first result is given,
// after at_most it is forgotten, neither replays nor conflicts move its end, at
// no replica, and duplicates that come together after it run once.
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
	patience        time.Duration // how long the retry within it may be tried again
	after           time.Duration // from the first answer to the requests after it
}

func spansOf(op *contract.Operation) (spans, bool) {
	atLeast, atMost, known := op.ExpiryRetention()
	if !known || op.Expiry == nil {
		return spans{}, false
	}
	margin := min(max(atLeast/8, 200*time.Millisecond), 2*time.Second)
	s := spans{atLeast: atLeast, atMost: atMost, within: atLeast - margin, patience: margin / 2}
	s.after = atMost + 200*time.Millisecond
	if atMost == 0 {
		s.after = atLeast + max(atLeast/2, 500*time.Millisecond)
	}
	if len(op.Expiry.Advance) > 0 {
		// Moving on costs no time, the hook itself may; it is told whole seconds.
		s.within = (atLeast - min(max(atLeast/8, margin), time.Minute)).Truncate(time.Second)
		s.after = (s.after + time.Second - 1).Truncate(time.Second)
	}
	return s, true
}

func planExpiry(b *builder) {
	p := b.op.Promise
	switch {
	case !p.Retention.Known:
		b.plan.Idle = Reason{Text: "promise.retention is not stated", Line: p.Retention.Pos.Line,
			Settle: stating("retention")}
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
		b.target = target
	}
	b.planRetaining(s, retaining{trial: "retained", home: target, there: target, afterward: s.atMost > 0})
	b.planForgotten(s, target)
	b.planFurther(s, target)
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

// planRetaining tries a key shortly before the retention ends and, where
// forgetting is promised, once more after it: the replay must not have moved
// the end on.
func (b *builder) planRetaining(s spans, w retaining) {
	op, id, met := b.conflicted(w)
	send := func(label, target string, within time.Duration) Action {
		r := comeBackAt(label, id, target, within)
		r.Every = min(r.Every, within/4)
		return r
	}
	actions := join(
		b.count("before", op),
		[]Action{send("first", w.home, s.patience)},
		b.above("after-first", "before", op),
		met,
		[]Action{b.pass("first", FirstSent, s.within), send("within", w.there, s.patience)},
		b.settled("settled", op))
	if w.afterward && b.op.Promise.Retention.Value.From != "last_use" {
		rest := b.pass("first", LastAnswered, s.after)
		if len(b.op.Expiry.Advance) > 0 {
			rest = Advance{By: s.after - s.within}
		}
		actions = join(actions, []Action{rest, send("after", w.there, patience(b.op))}, b.settled("settled-after", op))
		b.plan.Makes++ // a forgotten key makes a new operation
	}
	labels := []string{"first", "within", "after"}
	if w.conflict {
		labels = append(labels, "control", "changed")
	}
	b.expiryThread(w.trial, append(actions, b.environmentAt(w.there, w.trial, labels...)))
}

// planForgotten leaves a key alone until its retention is over, then sends
// duplicates together, then one more.
func (b *builder) planForgotten(s spans, target string) {
	const trial = "forgotten"
	op := b.make(trial)
	id := b.freeze(trial, op, "")
	b.plan.Makes++ // a forgotten key makes a new operation
	b.expiryThread(trial, join(
		b.count("before", op),
		[]Action{comeBackAt("first", id, target, s.patience)},
		b.above("after-first", "before", op),
		[]Action{
			b.pass("first", LastAnswered, s.after),
			Send{Label: "after", Request: id, Copies: afterCopies, Hold: HoldBody, Target: target},
			Settle{For: comeBackEvery},
			comeBackAt("again", id, target, patience(b.op)),
		},
		b.settled("settled", op),
		[]Action{b.environmentAt(target, trial, "first", "after", "again")},
	))
}

// environmentAt plans the environment control on the expiry's own instance.
func (b *builder) environmentAt(target, trial string, labels ...string) Action {
	return b.environment(trial, 2, NoHold, labels...).sentBy(func(burst *Burst) { burst.Target = target })
}
