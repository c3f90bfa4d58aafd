package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

func judgeStoreDown(j *judging) {
	if why := j.undoneHooks(); why != "" {
		j.unsure(j.op.StoreDown.Pos.Line, "see why the hook failed", "%s", why)
		return
	}
	if !j.op.Promise.Duplicate.Known {
		j.unknown("duplicate", j.op.Promise.Duplicate.Pos)
		return
	}
	j.tellable()
	lost := j.history.Trial(duringOutage)
	if !j.shownAway(lost) {
		j.control("store", false, "while the store was away a new key was answered as ever: %s", j.rules.describe(lost.Last("during")))
	}
	if after := j.history.Trial(afterOutage).Last("first"); !j.rules.class(after).welcome {
		j.control("environment", false, "a new key after the outage is not accepted: %s", j.rules.describe(after))
		j.unsure(j.op.StoreDown.Pos.Line, "let the up hook bring the store back, and wait until the service has it",
			"after the up hook a new key is not accepted: %s", j.rules.tell(after))
		return
	}
	for _, t := range []*Trial{lost, j.history.Trial(beforeOutage)} {
		before := j.mark()
		if t == lost {
			j.judgeInOutage(t)
		} else {
			j.judgeFinished(t)
		}
		j.examined(Case{Name: t.Name}, before)
	}
	if j.shownAway(lost) {
		j.control("store", true, "while the store was away a new key was not answered with a result: %s", j.rules.describe(lost.Last("during")))
	} else if j.accused == 0 {
		j.unsure(j.op.StoreDown.Pos.Line, "let the down hook take away what the service keeps its keys in",
			"the down hook took nothing away that shows: a new key was answered with %s", j.rules.describe(lost.Last("during")))
	}
}

// undoneHooks says which hook was not carried out, and why.
func (j *judging) undoneHooks() string {
	var down, up bool
	for _, t := range j.history.Trials {
		for _, why := range t.Undone {
			if strings.Contains(why, "hook") {
				return why
			}
		}
		for _, m := range t.Moments {
			if m.Kind == trace.KindStore {
				down, up = down || m.Process.Store == "down", up || m.Process.Store == "up"
			}
		}
	}
	switch {
	case !down:
		return "the store was not taken away"
	case !up:
		return "the store was not brought back"
	}
	return ""
}

// shownAway says that the outage showed: a new key got no result, but an error
// or none. With the store there new keys are accepted, before and after.
func (j *judging) shownAway(t *Trial) bool {
	for _, label := range []string{"during", "during-again"} {
		if x := t.Last(label); x != nil && !j.rules.class(x).welcome && (label == "during" || !x.Whole() || x.Answer.Status >= 500) {
			return true
		}
	}
	return false
}

// judgeInOutage judges the key that was first used while the store was away.
func (j *judging) judgeInOutage(t *Trial) {
	during, retry, back, again := t.Last("during"), t.Last("during-again"), t.Last("back"), t.Last("again")
	if during == nil || back == nil || again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	if j.hangsAfterOutage(t, during) || j.lapsed(t) || !j.final(t, again, "settled") {
		return
	}
	pos := j.op.StoreDown.Pos
	answered := j.rules.class(during).welcome
	f := Finding{Case: t.Name, Expected: "one run, however often it was sent before, in and after the outage", Actual: j.rules.describe(again)}
	e, ok := j.counts(t, "before", "back", "settled")
	made := e.Settled - e.Before
	switch {
	case ok && made > e.Unit:
		f.Slug, f.Follows = "store-down/effect-ran-twice", j.follows("duplicate/effect-ran-twice")
		f.Expected, f.Actual = "effects for one operation: "+itoa(e.Unit), "effects counted: "+itoa(made)
	case ok && made < e.Unit && (answered || j.rules.class(again).welcome):
		f.Slug, f.Follows = "store-down/effect-missing", j.follows("duplicate/effect-missing")
		f.Expected, f.Actual = "effects for one operation: "+itoa(e.Unit), "effects counted: "+itoa(made)
	}
	if f.Slug != "" {
		j.accuse(t, f, pos, "an operation that cannot be protected does not run")
	}
	wrong := f.Slug
	if answered {
		retry = cmp.Or(welcomeOf(j, retry), again)
		if j.environmental(t, retry) {
			return
		}
		if shown := j.shown(j.rules.replay(during, retry)); len(shown) > 0 {
			j.accuse(t, Finding{Slug: "store-down/result-lost", Case: t.Name, Follows: cmp.Or(wrong, j.followsDuplicate()),
				Expected: j.expectedDuplicate(), Actual: list(shown)}, pos, "what was answered as done in the outage is not forgotten by its end")
		}
		return
	}
	if !j.environmental(t, back) && !j.environmental(t, again) {
		j.judgeBack(t, back, again, wrong)
	}
}

func welcomeOf(j *judging, x *Exchange) *Exchange {
	if x != nil && j.rules.class(x).welcome {
		return x
	}
	return nil
}

// judgeBack judges a key that got no result in the outage, sent again twice
// when the store was back: it runs, and is then remembered.
func (j *judging) judgeBack(t *Trial, back, again *Exchange, wrong string) {
	f := Finding{Case: t.Name, Expected: "its result", Actual: j.rules.describe(back), Follows: wrong}
	c := j.rules.class(back)
	switch {
	case j.rules.blocked(back):
		f.Slug = "store-down/stuck-in-progress"
	case !c.welcome:
		f.Slug = "store-down/refused"
	default:
		f.Expected = j.expectedDuplicate()
		if shown := j.shown(j.rules.replay(back, again)); len(shown) > 0 {
			f.Slug, f.Actual, f.Follows = "store-down/result-lost", list(shown), cmp.Or(wrong, j.followsDuplicate())
		}
	}
	if f.Slug != "" {
		j.accuse(t, f, j.op.StoreDown.Pos, fmt.Sprintf("once the store is back, and %s have passed, every key is usable again", storeBack(j.op)))
	}
}

// hangsAfterOutage accuses of a key that keeps its caller waiting in vain once
// the store is back, while a new key is answered, and says whether it did. The
// request was sent within the retention of the trial's first; what comes after
// it may be too late to show anything.
func (j *judging) hangsAfterOutage(t *Trial, first *Exchange) bool {
	var last *Exchange
	tries := t.Under("back")
	for _, x := range tries {
		if x.Sent == nil || x.Answer == nil || x.Answer.Outcome != trace.TimedOut || j.forgettable(first, x.later(first)) {
			break
		}
		last = x
	}
	other := j.history.Trial(afterOutage).Last("first")
	if last == nil || !j.rules.class(other).welcome || other.Answer.LastByte > last.Answer.LastByte {
		return false
	}
	waited := time.Duration(last.Answer.LastByte - tries[0].Sent.WriteEnded)
	if waited < storeBack(j.op) || j.elsewhere(t, last) {
		return false
	}
	j.accuse(t, Finding{Slug: "store-down/stuck-in-progress", Case: t.Name, Expected: "its result", Follows: j.followsDuplicate(),
		Actual: "no answer for " + waited.Round(time.Millisecond).String() + " with the store back, where a new key got " + j.rules.describe(other)},
		j.op.StoreDown.Pos, fmt.Sprintf("once the store is back, and %s have passed, every key is usable again", storeBack(j.op)))
	return true
}

// judgeFinished judges a key that had its result before the outage.
func (j *judging) judgeFinished(t *Trial) {
	first, ok := j.first(t, "first")
	if !ok || j.hangsAfterOutage(t, first) || j.lapsed(t) {
		return
	}
	pos := j.op.StoreDown.Pos
	during, back := t.Last("during"), t.Last("back")
	if back == nil || !j.final(t, back, "settled") {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	e, ok := j.counts(t, "before", "", "settled")
	wrong := ""
	if made := e.Settled - e.Before; ok && made > e.Unit {
		wrong = "store-down/effect-ran-twice"
		j.accuse(t, Finding{Slug: wrong, Case: t.Name, Follows: j.follows("duplicate/effect-ran-twice"),
			Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(made)},
			pos, "a retry in the outage is not run again")
	}
	for _, x := range []*Exchange{during, back} {
		if x == during && !j.rules.class(x).welcome {
			j.refusedForGood(t, x) // any other refusal in the outage is what is hoped for
			continue
		}
		if j.environmental(t, x) {
			continue
		}
		f := Finding{Slug: "store-down/result-lost", Case: t.Name, Expected: j.expectedDuplicate(), Follows: cmp.Or(wrong, j.followsDuplicate())}
		if c := j.rules.class(x); x == back && !c.welcome && !c.duplicate {
			f.Slug, f.Actual = "store-down/refused", j.rules.describe(x)
			if j.rules.blocked(x) {
				f.Slug = "store-down/stuck-in-progress"
			}
			j.accuse(t, f, pos, "once the store is back, a finished key gives its result")
		} else if shown := j.shown(j.rules.replay(first, x)); len(shown) > 0 {
			f.Actual = list(shown)
			j.accuse(t, f, pos, "a finished key gives its result in and after the outage, or none")
		}
	}
}

// refusedForGood doubts a refusal in the outage that no caller comes back
// after: it tells of a finished operation that it was not done. Callers come
// back after 408, 409, 423, 425 and 429 (RFC 9110, section 15.5; RFC 4918,
// section 11.3; RFC 8470, section 5.2; RFC 6585, section 4), and after what the
// contract calls in flight or a duplicate's answer.
func (j *judging) refusedForGood(t *Trial, x *Exchange) {
	c := j.rules.class(x)
	if !x.Whole() || x.status()/100 != 4 || slices.Contains([]int{408, 409, 423, 425, 429}, x.status()) || c.inFlight || c.duplicate {
		return
	}
	j.unsure(j.op.StoreDown.Pos.Line, "while the store is away answer with 503, or another status after which callers come back",
		"%s: %s in the outage refuses for good an operation that is done", t.Name, j.rules.describe(x))
}
