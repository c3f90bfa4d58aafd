package probe

import (
	"cmp"
	"fmt"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

func judgeExpiry(j *judging) {
	p := j.op.Promise
	if !p.Retention.Known {
		j.unknown("retention", p.Retention.Pos)
		return
	}
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	s, ok := spansOf(j.op)
	if !ok {
		j.unsure(j.op.Pos.Line, "add expiry.wait or expiry.advance to the operation", "expiry is not declared: how this target's retention is passed is unknown")
		return
	}
	j.tellable()
	forgotten := j.judgeForgotten(j.history.Trial("forgotten"), s)
	j.judgeRetained(j.history.Trial("retained"), s, forgotten, touched{slug: "expiry/extended-by-replay"})
	j.judgeFurther(s, forgotten)
	j.measureFurther(s)
	if x := j.history.Trial("retained").Last("within"); x != nil && x.Sent != nil {
		t := j.history.Trial("retained")
		sent, _ := t.When("first", FirstSent)
		j.measure("retry within the retention", t.passed(sent, x.Sent.WriteBegan).Round(time.Millisecond).String()+" after the first request", "")
	}
	j.measure("retention on this target", fmt.Sprintf("at least %s, at most %s", s.atLeast, orNone(s.atMost)), "")
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

// passed is how much of a key's time passed between two moments: what the
// clock shows and what the hook moved it on by.
func (t *Trial) passed(from, to int64) time.Duration {
	d := time.Duration(to - from)
	for _, m := range t.Moments {
		if m.Kind == trace.KindAdvance && m.Process.Error == "" && m.At > from && m.At <= to {
			d += time.Duration(m.Process.Seconds) * time.Second
		}
	}
	return d
}

// tooSoon says that what is to come after the retention came before its end.
func (j *judging) tooSoon(t *Trial, s spans, x *Exchange) bool {
	answered, _ := t.When("first", LastAnswered)
	if x.Sent != nil && t.passed(answered, x.Sent.WriteBegan) > max(s.atMost, s.atLeast) {
		return false
	}
	why := "it was not sent"
	if x.Sent != nil {
		why = "it was sent " + t.passed(answered, x.Sent.WriteBegan).Round(time.Millisecond).String() + " after the first answer"
	}
	if len(t.Undone) > 0 {
		why = t.Undone[0]
	}
	j.unsure(j.op.Expiry.Pos.Line, "see that expiry.wait or expiry.advance passes the retention",
		"%s: the request after the retention came too soon to show anything: %s", t.Name, why)
	return true
}

// forgottenAnew says that requests after the retention, under labels in the
// order of the plan, went on for longer than it: the first of them may have made
// the key anew, and a later one once more, by right.
func (j *judging) forgottenAnew(t *Trial, atLeast time.Duration, labels ...string) bool {
	began, _ := t.When(labels[0], FirstSent)
	for _, label := range labels {
		for _, x := range t.Under(label) {
			if x.Sent == nil {
				continue
			}
			if went := t.passed(began, max(x.Sent.WriteBegan, x.answeredAt())); went >= atLeast {
				j.unsure(j.op.Promise.Retention.Pos.Line, longerRetention,
					"%s: what was sent after the retention went on for %s, longer than the retention of %s: a key that ran anew may be forgotten again by then",
					t.Name, went.Round(time.Millisecond), atLeast)
				return true
			}
		}
	}
	return false
}

// judgeRetained judges the retry within the retention, and whether what came
// to the key before moved the end on.
func (j *judging) judgeRetained(t *Trial, s spans, forgottenUntouched bool, by touched) {
	p := j.op.Promise
	first, ok := j.first(t, "first")
	if !ok {
		return
	}
	within := t.Last("within")
	if within == nil || within.Answer == nil || within.Sent == nil {
		j.unsure(0, "run the step again", "%s", by.at("the retry within the retention was not sent"))
		return
	}
	sent, _ := t.When("first", FirstSent)
	if t.passed(sent, within.Answer.LastByte) > s.atLeast || t.passed(sent, within.Sent.WriteBegan) < s.within {
		j.unsure(j.op.Expiry.Pos.Line, "give the target a longer retention (expiry.wait)",
			"%s came %s after the first request: too late or too soon to show anything",
			by.at("the retry within the retention"), t.passed(sent, within.Sent.WriteBegan).Round(time.Millisecond))
		return
	}
	if !j.final(t, within, "settled", "after") || j.environmental(t, within) {
		return
	}
	ran := j.retainedRan(t, by)
	if shown := j.shown(j.rules.replay(first, within)); len(shown) > 0 {
		follows := cmp.Or(j.followsDuplicate(), j.followsConflict(by))
		if ran {
			follows = "expiry/forgot-early"
		}
		j.accuse(t, Finding{Slug: "expiry/other-answer", Case: by.at("within the retention"), Follows: follows,
			Expected: j.expectedDuplicate(), Actual: list(shown)}, p.Retention.Pos, "within the retention a duplicate gets the promised answer")
	}
	if !ran {
		j.judgeSliding(t, s, first, forgottenUntouched, by)
	}
}

// retainedRan says whether the effect ran again within the retention.
func (j *judging) retainedRan(t *Trial, by touched) bool {
	e, ok := j.counts(t, "before", "after-first", "settled")
	if !ok || e.Settled-e.Before <= e.Unit {
		return false
	}
	j.accuse(t, Finding{Slug: "expiry/forgot-early", Case: by.name, Follows: cmp.Or(j.follows("duplicate/effect-ran-twice"), j.followsConflict(by)),
		Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(e.Settled-e.Before)},
		j.op.Promise.Retention.Pos, "within the retention the key is remembered")
	return true
}

// judgeSliding judges the request after the retention of a key that was
// replayed within it. Only where an untouched key is forgotten does a key that
// is still remembered show that the replay moved the end on.
func (j *judging) judgeSliding(t *Trial, s spans, first *Exchange, forgottenUntouched bool, by touched) {
	from := j.op.Promise.Retention.Value.From
	if s.atMost == 0 || from == "last_use" || !forgottenUntouched || by.unended {
		return
	}
	after := t.Last("after")
	if after == nil {
		j.unsure(0, "run the step again", "%s", by.at("the request after the retention of a replayed key was not sent"))
		return
	}
	if j.tooSoon(t, s, after) || j.forgottenAnew(t, s.atLeast, "after") || !j.final(t, after, "settled-after") || j.environmental(t, after) {
		return
	}
	was, ok := t.Counted("settled")
	if j.sound() && !ok {
		return // said with the counts
	}
	if now, ok := t.Counted("settled-after"); j.sound() && ok && now.N-was.N > j.controls.Unit {
		if !j.ranLater(t, "settled-after", was.N+j.controls.Unit) {
			j.ranAgainAndAgain(t, by.at("after a replay"), now.N-was.N)
		}
		return
	}
	j.judgeEnd(t, s, first, after, was.N, by)
}

// judgeEnd judges whether a key is remembered beyond its retention, where one
// that nothing touched is forgotten. Base is the effects counted before.
func (j *judging) judgeEnd(t *Trial, s spans, first, after *Exchange, base int64, by touched) {
	before := j.mark()
	still, known := j.remembered(t, first, after, base, "settled-after")
	switch {
	case !known && j.mark() != before: // said already
	case !known:
		j.unsure(j.op.Promise.Retention.Pos.Line, "declare effects, or a marker", "whether the replayed key was forgotten cannot be told")
	case still:
		j.extended(t, s, by)
	}
}

// judgeForgotten judges the duplicates after the retention and says whether
// the key was forgotten.
func (j *judging) judgeForgotten(t *Trial, s spans) bool {
	first, ok := j.first(t, "first")
	if !ok {
		return false
	}
	copies := t.Under("after")
	if len(copies) == 0 {
		j.unsure(0, "run the step again", "the duplicates after the retention were not sent")
		return false
	}
	for _, x := range copies {
		if j.tooSoon(t, s, x) {
			return false
		}
	}
	if j.forgottenAnew(t, s.atLeast, "after", "again") {
		return false
	}
	base := j.ranOnceAfter(t, copies)
	after := j.deciding(t, copies)
	if !j.final(t, after, "settled") || j.environmental(t, after) {
		return false
	}
	return j.judgeForgetting(t, s, first, after, base)
}

// deciding gives the exchange that tells what became of a key whose duplicates
// came together. They may have kept each other off it: then the one after them does.
func (j *judging) deciding(t *Trial, copies []*Exchange) *Exchange {
	return cmp.Or(j.winner(copies), t.Last("again"), copies[len(copies)-1])
}

// judgeForgetting judges whether the key was forgotten, and its answer then.
func (j *judging) judgeForgetting(t *Trial, s spans, first, after *Exchange, base int64) bool {
	p := j.op.Promise
	// Where every copy was answered none owns the key any more: it is stuck.
	stuck := s.atMost > 0 && j.answerPromised() && allWhole(t.Under("after"))
	if c := j.rules.class(after); !c.duplicate && j.rules.blocked(after) && !stuck {
		j.unsure(p.Retention.Pos.Line, "see what keeps the key in flight after its retention",
			"after the retention the key is in flight: it gives neither the old result nor a new one")
		return false
	}
	if failed := after.Whole() && after.Answer.Status >= 500; failed && !j.answerPromised() {
		j.unsure(p.AfterRetention.Pos.Line, "see why, or state promise.after_retention: an answer such as {status: [412]}, or execute",
			"after the retention the key gets %s: neither the old result nor a new one", j.rules.describe(after))
		return false
	}
	before := j.mark()
	still, known := j.remembered(t, first, after, base, "settled")
	switch {
	case !known && j.mark() != before:
		return false // said already
	case !known && s.atMost == 0 && p.AfterRetention.Value.Mode == "any":
		return false // nothing that is promised hangs on it
	case !known:
		j.unsure(p.Retention.Pos.Line, "declare effects, or a marker",
			"whether the key was forgotten cannot be told: answers do not differ and no effect is counted")
		return false
	case still && s.atMost > 0:
		j.accuse(t, Finding{Slug: "expiry/never-forgets", Expected: "forgotten " + s.atMost.String() + " after the first answer",
			Actual: "the first result"}, p.Retention.Pos, "after at_most the key is forgotten")
		return false
	case still:
		return false
	}
	j.answerAfter(t, after)
	return true
}

// ranOnceAfter judges how often the duplicates after the retention ran, and
// gives the count that they began from.
func (j *judging) ranOnceAfter(t *Trial, copies []*Exchange) (base int64) {
	if !j.sound() {
		if j.resultsDiffer(copies) {
			j.ranAgainAndAgain(t, "", 0)
		}
		return 0
	}
	before, ok0 := t.Counted("before")
	was, ok1 := t.Counted("after-first")
	now, ok2 := t.Counted("settled")
	if !ok0 || !ok1 || !ok2 {
		j.unsure(0, "see why the counter failed", "the counter gave nothing after the retention")
		return 0
	}
	unit := j.controls.Unit
	base = max(was.N, before.N+unit) // some of the first's may be counted late
	j.result.Evidence.Effects = j.worse(Effects{Before: base, After: now.N, Settled: now.N, Unit: unit, CountedBy: string(j.op.Effects.Kind)})
	if more := now.N - base; more > unit && !j.ranLater(t, "settled", base+unit) {
		j.ranAgainAndAgain(t, "", more)
	}
	return base
}

// ranAgainAndAgain accuses of more than one run after the retention: by so many
// effects, or by answers where that is 0.
func (j *judging) ranAgainAndAgain(t *Trial, which string, more int64) {
	f := Finding{Slug: "expiry/ran-more-than-once", Case: which, Expected: "at most one more operation",
		Follows: cmp.Or(j.follows("duplicate/effect-ran-twice"), j.follows("concurrent/effect-ran-twice")),
		Actual:  "the copies got different results"}
	if more > 0 {
		f.Actual = "effects rose by " + itoa(more) + ", unit " + itoa(j.controls.Unit)
	}
	j.accuse(t, f, j.op.Promise.Retention.Pos, "what comes after the retention runs once")
}

// resultsDiffer says that two accepted copies were answered differently, where
// answers are the evidence and tell runs apart.
func (j *judging) resultsDiffer(copies []*Exchange) bool {
	if j.controls.Counted || !j.controls.Vary {
		return false
	}
	var one *Exchange
	for _, x := range copies {
		if !j.rules.accepted(x) {
			continue
		}
		if one == nil {
			one = x
		} else if shown, _ := told(j.rules.differences(one, x)); len(shown) > 0 {
			return true
		}
	}
	return false
}
