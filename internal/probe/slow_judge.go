package probe

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

func judgeSlow(j *judging) {
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	t := j.history.Trial("slow")
	slow := t.Last("slow")
	race := []*Exchange{slow}
	for i := range slowMoments(j.op) {
		if x := t.Last(duringLabel(i)); x != nil {
			race = append(race, x)
		}
	}
	if j.lapsedBefore(t, slow) || j.wasBehind(slow, race[1:]) {
		return
	}
	again := j.sentInTime(t, slow, "again")
	winner := j.slowResult(t, slow, race)
	wrong := ""
	if unit, ok := j.slowUnit(t); ok {
		if j.anyLate(t, slow, "again") {
			wrong = j.ranWithin(t, slow, unit)
		} else {
			wrong, _ = j.tally(t, "", unit, winner != nil, true, [3]string{"before", "counted", "settled"})
		}
	}
	if winner == nil {
		return
	}
	j.tellable()
	for _, x := range race[1:] {
		if j.forgettable(slow, x.since(slow)) && x.Whole() {
			continue // its key may have been forgotten while it waited
		}
		j.judgeDuring(t, slow, x, winner, wrong)
	}
	j.judgeClaimEnds(t, slow, race[1:], winner)
	if again != nil && (!j.superseded(slow) || !j.oneOf(race, again)) {
		j.judgeRetried(t, "after it", winner, again, wrong, "settled")
	}
	j.slowShown(slow, race[1:])
}

// wasBehind says that a duplicate was sent before the slow request: then it is
// the operation's first, and none that comes while the slow one works.
func (j *judging) wasBehind(slow *Exchange, duplicates []*Exchange) bool {
	for _, x := range duplicates {
		if slow.sentAt() > 0 && x.sentAt() > 0 && x.sentAt() < slow.sentAt() {
			j.unsure(0, "run it again, where it is less busy", "slow: the slow request was sent %s after a duplicate of it",
				slow.later(x).Round(time.Millisecond))
			return true
		}
	}
	return false
}

// ranWithin looks for a second effect among the counts that were read while the
// key was remembered for certain, and gives the slug of it.
func (j *judging) ranWithin(t *Trial, slow *Exchange, unit int64) string {
	before, ok := t.Counted("before")
	for _, c := range t.Counts {
		made := c.N - before.N
		if !ok || c.Error != "" || made <= unit || !strings.HasPrefix(c.Label, "seen-") || j.forgettable(slow, time.Duration(c.At-slow.sentAt())) {
			continue
		}
		j.accuse(t, Finding{Slug: j.slug("effect-ran-twice"), Follows: j.followsRuns(true),
			Expected: "effects for one operation: " + itoa(unit), Actual: "effects counted: " + itoa(made)},
			j.op.Promise.Duplicate.Pos, "requests that share a key and a body have one effect together")
		return j.slug("effect-ran-twice")
	}
	return ""
}

// slowUnit is how many effects the slow operation makes where nothing comes
// between, by its control.
func (j *judging) slowUnit(t *Trial) (unit int64, ok bool) {
	if !j.sound() {
		return 0, false
	}
	if !j.rules.class(t.Last("control")).welcome {
		return j.controls.Unit, true
	}
	before, ok0 := t.Counted("control-before")
	after, ok1 := t.Counted("settled-control")
	unit = after.N - before.N
	switch {
	case !ok0 || !ok1:
		j.unsure(0, "see why the counter failed", "slow: the counter gave nothing for the slow request under its own key")
		return 0, false
	case unit <= 0:
		j.unsure(j.op.Request.Slow.Pos.Line, "make request.slow an operation whose effects the counter counts",
			"slow: the counter shows nothing for the slow request under its own key")
		return 0, false
	}
	return unit, true
}

// slowResult gives the answer that stands for the operation, nil where none
// does. A slow request that is refused only where duplicates come is refused
// because of them: alone, it is accepted.
func (j *judging) slowResult(t *Trial, slow *Exchange, race []*Exchange) *Exchange {
	c := j.rules.class(slow)
	if c.welcome {
		return slow
	}
	others := j.winner(race[1:])
	if j.superseded(slow) && others != nil {
		return others
	}
	if (c.inFlight || c.duplicate) && others != nil && !j.owned(race[1:]) {
		j.unsure(0, "run it again, nearer to the target or where it is less busy",
			"slow: a duplicate may have overtaken the slow request, which got %s: who of them worked cannot be told", j.rules.describe(slow))
		return nil
	}
	alone := j.rules.class(t.Last("control")).welcome
	if slow.Whole() && others != nil && alone && !j.elsewhere(t, slow) {
		j.accuse(t, Finding{Slug: j.slug("refused"), Case: "the slow request itself", Follows: j.followsRuns(true),
			Expected: "the operation's result, as without duplicates", Actual: j.rules.describe(slow)},
			j.op.Promise.Duplicate.Pos, "a live owner keeps its claim, and its caller gets the result")
		return others
	}
	if slow != nil && slow.Answer != nil && slow.Answer.Outcome == trace.TimedOut {
		j.unsure(j.op.Request.Slow.Pos.Line, "a request.slow that works shorter, or a longer target.timeout",
			"slow: the slow request was not answered within target.timeout of %s", j.contract.Target.Timeout)
		return nil
	}
	j.first(t, "slow")
	return nil
}

// owned says that the slow request is known to have owned its key: a duplicate was
// told that somebody does before any was sent that was told otherwise. Without
// it one that came first on the way may own the key.
func (j *judging) owned(during []*Exchange) bool {
	told := j.claimedBy(during)
	return told > 0 && !slices.ContainsFunc(during, func(x *Exchange) bool {
		return !j.rules.class(x).inFlight && x.sentAt() < told
	})
}

// superseded says that the operation worked longer than a live owner may keep
// its claim: then a duplicate may have taken it over. One effect is still one.
func (j *judging) superseded(slow *Exchange) bool {
	m := j.op.Promise.OwnerMax
	return m.Known && slow.took() > m.Value
}

// judgeDuring judges a duplicate that came while the operation worked. Legal
// are the duplicate's answer, and in flight what is declared.
func (j *judging) judgeDuring(t *Trial, slow, x, winner *Exchange, wrong string) {
	c := j.rules.class(x)
	if x == winner || c.inFlight || c.duplicate || j.environmental(t, x) {
		return
	}
	p := j.op.Promise
	name := "duplicate sent after " + x.later(slow).Round(10*time.Millisecond).String()
	f := Finding{Case: name, Expected: j.expectedLoser(), Actual: j.rules.describe(x), Follows: wrong}
	if f.Follows == "" {
		f.Follows = j.followsDuplicate()
	}
	switch {
	case c.accepted:
		ds := j.rules.replay(winner, x)
		if p.InFlight.Value.Wait && p.Duplicate.Value.Mode == "answer" {
			ds = j.rules.differences(winner, x)
		}
		shown := j.shown(ds)
		if len(shown) == 0 || j.superseded(slow) {
			return
		}
		f.Slug, f.Actual = j.slug("other-answer"), list(shown)
	case c.none && x.Answer.Outcome != trace.TimedOut:
		j.note("a duplicate that came while the operation worked got no answer: it shows nothing")
		return
	case c.none && !j.hangs(t, x):
		j.unsure(0, "a longer target.timeout", "slow: a duplicate that waits got no answer in time")
		return
	case !p.InFlight.Known && (x.Answer.Status == 409 || x.Answer.Status == 425 || x.Answer.Status == 429):
		j.unknown("in_flight", p.InFlight.Pos)
		return
	case c.none:
		f.Slug = j.slug("stuck")
	default:
		f.Slug = j.slug("refused")
	}
	j.accuse(t, f, p.Duplicate.Pos, "while a live owner works a duplicate waits, or is told that it does")
}

// judgeClaimEnds holds a claim to owner_max where that is stated: a duplicate
// that is still told "in flight" a good while later, of an operation that
// nobody took over.
func (j *judging) judgeClaimEnds(t *Trial, slow *Exchange, during []*Exchange, winner *Exchange) {
	m := j.op.Promise.OwnerMax
	if !j.superseded(slow) || winner != slow {
		return
	}
	late := m.Value + max(m.Value/4, 250*time.Millisecond)
	claimed := j.claimedBy(during)
	for _, x := range during {
		c := j.rules.class(x)
		if c.accepted && len(j.rules.replay(slow, x)) > 0 {
			return // it was taken over
		}
		if c.accepted && x.since(slow) > m.Value {
			return // it waited until the claim ended, or took it over: a later one met its claim
		}
		if c.inFlight && !c.duplicate && claimed > 0 && time.Duration(x.sentAt()-claimed) > late {
			j.accuse(t, Finding{Slug: j.slug("claim-outlived"), Expected: "a key that is free, or answered, after " + m.Value.String(),
				Actual: "in flight " + x.later(slow).Round(10*time.Millisecond).String() + " after the operation was sent"},
				m.Pos, "a live owner keeps its claim no longer than owner_max")
			return
		}
	}
}

// slowShown says how long the operation worked, and what a pass lacks.
func (j *judging) slowShown(slow *Exchange, during []*Exchange) {
	d, name, known := outlast(j.op)
	took := slow.took()
	after := 0
	for _, x := range during {
		// It came after the lease, or it waited across its end.
		if x.Whole() && x.Sent.WriteEnded < slow.Answer.FirstByte && x.since(slow) > d {
			after++
		}
	}
	words := "the slow request took " + took.Round(10*time.Millisecond).String()
	if known {
		words += ", where promise." + name + " is " + d.String()
	}
	j.measure("slow answer", took.Round(time.Millisecond).String(), words)
	j.measure("duplicates beyond the lease", strconv.Itoa(after), some(after, "duplicate", "duplicates")+" came or waited beyond that while it worked")
	pos := j.op.Request.Slow.Pos
	switch {
	case !known:
		j.unsure(j.op.Promise.Lease.Pos.Line, stating("lease"),
			"%s: promise.lease is not stated: how long the slow request must work to outlast a lock is unknown", j.contract.Where(j.op.Promise.Lease.Pos))
	case took <= d:
		j.unsure(pos.Line, "make request.slow work longer than promise."+name,
			"slow: the slow request was answered after %s, within promise.%s of %s: no owner was seen that works longer", took.Round(time.Millisecond), name, d)
	case after == 0:
		j.unsure(pos.Line, "make request.slow work longer, such as twice promise."+name,
			"slow: no duplicate came after promise.%s of %s had passed while the operation still worked", name, d)
	}
}

// claimedBy is when the first duplicate was told that the operation is in flight:
// by then it was claimed, however late its request was taken up. 0: none was.
func (j *judging) claimedBy(during []*Exchange) (told int64) {
	for _, x := range during {
		if c := j.rules.class(x); c.inFlight && (told == 0 || x.answeredAt() < told) {
			told = x.answeredAt()
		}
	}
	return told
}
