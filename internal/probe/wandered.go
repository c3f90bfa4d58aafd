package probe

import (
	"cmp"
	"maps"
	"slices"
)

// judgeBalanced judges the replicas that stand behind one URL, but for the races.
func (j *judging) judgeBalanced(c *crossings) {
	for i := range wanderings {
		t := j.history.Trial(wanderingName(i))
		before := j.mark()
		j.judgeWandering(t)
		j.crossed(c, retriesAcross, t, before, wanderLabels("retry")...)
	}
	if t := j.history.known(balancedBody); t != nil {
		before := j.mark()
		j.judgeBalancedConflict(c, t, before)
	}
	j.judgeCallers(c, callersBehindOne())
}

func (j *judging) judgeWandering(t *Trial) {
	first, ok := j.first(t, "first")
	if !ok || j.lapsed(t) {
		return
	}
	if len(t.Under("retry")) == 0 {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	wrong := j.ranAcross(t)
	j.wandered(t, "retry", func(x *Exchange) { j.judgeElsewhere(t, first, x, wrong) })
}

// fewUnnamed is how many refusals of another body that name no instance show
// that none of two replicas runs it, where other answers of the key came from
// both: by chance all of so many meet one of them once in four thousand times.
const fewUnnamed = 12

func (j *judging) judgeBalancedConflict(c *crossings, t *Trial, before mark) {
	changed := slices.Concat(wanderLabels("changed"), wanderLabels("changed-again"))
	first, ok := j.first(t, "first")
	if !ok || j.lapsed(t) {
		j.crossed(c, bodiesAcross, t, before, changed...)
		return
	}
	right := true
	for _, label := range []string{"changed", "changed-again"} {
		j.wanderedTo(t, label, true, func(x *Exchange) { right = j.judgeChangedAcross(t, x) && right })
	}
	if right {
		j.wandered(t, "again", func(x *Exchange) { j.judgeOriginalAcross(t, first, x) })
	}
	unnamed, spread := 0, false
	for _, label := range changed {
		for _, x := range t.Under(label) {
			if c.in.of(x) == "" && j.rules.class(x).conflict {
				unnamed++
			}
		}
	}
	for _, label := range wanderLabels("again") {
		spread = spread || slices.ContainsFunc(t.Under(label), func(x *Exchange) bool { return c.in.apart(first, x) })
	}
	if spread && unnamed >= fewUnnamed {
		c.try(bodiesAcross, true)
		j.examined(Case{Name: t.Name, Text: some(unnamed, "refusal", "refusals") + " that name no instance, while the original was answered by more than one"}, before)
		return
	}
	j.crossed(c, bodiesAcross, t, before, changed...)
}

// judgeAfterwards judges a key that was raced for, at each instance that it
// came to when the race was over.
func (j *judging) judgeAfterwards(t *Trial, race []*Exchange) {
	winner := j.winner(race)
	j.wandered(t, "afterwards", func(x *Exchange) {
		f := Finding{Slug: j.slug("other-answer"), Case: t.Name, Expected: j.expectedDuplicate(), Actual: j.rules.describe(x),
			Follows: cmp.Or(j.toldAlready("replicas/effect-ran-twice"), j.followsDuplicate())}
		switch {
		case j.rules.blocked(x):
			f.Slug = j.slug("stuck-after-race")
		case winner == nil || j.oneOf(race, x):
			return
		default:
			shown := j.shown(j.rules.replay(winner, x))
			if len(shown) == 0 {
				return
			}
			f.Actual = list(shown)
		}
		j.accuse(t, f, j.op.Promise.Duplicate.Pos, "once a race is over every instance gives its result")
	})
}

// persistent is how many late answers that name no instance tell the caller to
// come back before they are taken for one instance's, whatever others answer.
const persistent = 3

// wandered judges what a wandering request got. Final answers are judged one by
// one. What tells the caller to come back is judged where it was an instance's
// last answer when the key had long been finished.
func (j *judging) wandered(t *Trial, label string, judge func(*Exchange)) {
	j.wanderedTo(t, label, false, judge)
}

// wanderedTo is wandered; with conflict the conflict's answer is final.
func (j *judging) wanderedTo(t *Trial, label string, conflict bool, judge func(*Exchange)) {
	isFinal := Condition{ConflictSettles: conflict}.final
	header := j.contract.Target.Instance
	last := map[string]*Exchange{}
	unnamed := 0
	for _, l := range wanderLabels(label) {
		for _, x := range t.Under(l) {
			final := isFinal(j.rules, x)
			if final && !j.environmental(t, x) {
				judge(x)
			}
			name := instanceName(x, header)
			if !final && name == "" && l == label+inTheEnd {
				unnamed++
			}
			if final || l != label+inCopies || last[name] == nil {
				last[name] = x
			}
		}
	}
	ended := t.Last(label + inTheEnd)
	for _, name := range slices.Sorted(maps.Keys(last)) {
		x := last[name]
		switch {
		case isFinal(j.rules, x):
		case name == "" && (x.Label != label+inTheEnd || unnamed < persistent && x != ended):
			// Whoever it was has answered since, or a proxy did.
		case x.Label == label+inTheEnd:
			if !j.environmental(t, x) {
				judge(x)
			}
		default:
			j.unsure(0, "run the step again", "%s: %s said to come back, and was not met again: %s", t.Name, name, j.rules.describe(x))
		}
	}
}

// lastFinal gives the last final answer of a wandering request, else the last.
func (j *judging) lastFinal(t *Trial, label string) *Exchange {
	var out *Exchange
	for _, l := range wanderLabels(label) {
		for _, x := range t.Under(l) {
			if out == nil || !j.rules.unsettled(x) || j.rules.unsettled(out) {
				out = x
			}
		}
	}
	return out
}
