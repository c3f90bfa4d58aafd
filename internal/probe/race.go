package probe

import (
	"cmp"
	"fmt"
	"slices"
)

func judgeConcurrent(j *judging) {
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	j.tellable()
	var tally raceTally
	for _, t := range j.races() {
		j.judgeRelease(t, &tally)
	}
	j.judgeLost(&tally)
	j.measureRaces(&tally)
	j.showReleases(&tally)
	j.tellMissing(&tally)
	if len(j.result.Findings) > 0 {
		return
	}
	if tally.overlapped == 0 {
		j.nothingRaced(&tally)
		return
	}
	j.pairRaced(&tally)
	j.note("no double in %s", some(tally.overlapped, "overlapped round", "overlapped rounds"))
	j.judgePowers()
	j.tellFront(&tally)
}

// races gives the trials that are rounds. A burst of several keys has a trial of
// its own beside those of its keys, for its environment's control.
func (j *judging) races() []*Trial {
	bursts := map[string]bool{}
	for _, t := range j.history.Trials {
		if burst, of := burstOf(t.Name); of {
			bursts[burst] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(j.history.Trials), func(t *Trial) bool { return bursts[t.Name] })
}

// judgeRelease judges one round as a case of the step.
func (j *judging) judgeRelease(t *Trial, tally *raceTally) {
	before := j.mark()
	r := raced{trial: t, race: t.Under("race"), why: j.judgeRound(t, tally)}
	r.broken = j.accused > before.accused
	tally.add(r)
	j.countRound(r)
	j.examined(Case{Name: t.Name, Text: r.why}, before)
}

// countRound keeps what a round came to among those of as many copies, for rates.
func (j *judging) countRound(one raced) {
	all, copies := &j.result.Evidence.Rounds, len(one.race)
	i := slices.IndexFunc(*all, func(r Rounds) bool { return r.Copies == copies })
	if i < 0 {
		*all = append(*all, Rounds{Copies: copies})
		i = len(*all) - 1
	}
	r := &(*all)[i]
	r.Made++
	if one.why == "" {
		r.Overlapped++
	}
	if one.why == "" && one.broken {
		r.Broken++
	}
}

func (j *judging) measureRaces(r *raceTally) {
	sentence, rounds := "", len(r.all)
	if why := r.uncounted(); len(why) > 0 && why[0].Why != notTogether {
		sentence = fmt.Sprintf("%d of %d rounds count: in %d %s", r.overlapped, rounds, why[0].Rounds, why[0].Why)
	} else if r.overlapped < rounds {
		sentence = fmt.Sprintf("copies overlapped in %d of %d rounds", r.overlapped, rounds)
	}
	j.measure("rounds", fmt.Sprintf("%d, overlapped %d", rounds, r.overlapped), sentence)
	j.measure("spread of the writes", fmt.Sprintf("median %s, largest %s", quantile(r.spreads, 0.5), quantile(r.spreads, 1)), "")
}

// judgeRound judges one release and says why it does not count as a race, ""
// where it does.
func (j *judging) judgeRound(t *Trial, tally *raceTally) (why string) {
	race := t.Under("race")
	if len(race) == 0 {
		ended := "the run ended before it"
		if len(t.Undone) > 0 {
			ended = t.Undone[0]
		}
		j.unsure(0, "run the step again", "%s: nothing was sent: %s", t.Name, ended)
		return unsent
	}
	why = cmp.Or(j.uncounted(race), j.turnedAway(t, race))
	if j.lapsed(t) {
		return cmp.Or(why, lapsedKey)
	}
	winner := j.winner(race)
	wrong := j.ranOnceInRace(t, winner, j.overlap(race))
	for _, x := range race {
		switch {
		case x == winner, x.unprocessed():
		case j.rules.class(x).none:
			tally.lost = append(tally.lost, lostCopy{t, x})
		default:
			j.judgeLoser(t, winner, x, wrong)
		}
	}
	j.judgeAfterRace(t, winner, wrong)
	return why
}

// winner is the copy whose answer stands for the race: the first accepted one
// without a replay's marker. Where every answer is the duplicate's, so is it.
func (j *judging) winner(race []*Exchange) *Exchange {
	rank := func(x *Exchange) int {
		c := j.rules.class(x)
		switch {
		case c.accepted && !j.rules.marked(x):
			return 3
		case c.accepted:
			return 2
		case c.welcome:
			return 1
		}
		return 0
	}
	var best *Exchange
	for _, x := range race {
		if r := rank(x); r > 0 && (best == nil || r > rank(best) || r == rank(best) && x.Answer.FirstByte < best.Answer.FirstByte) {
			best = x
		}
	}
	return best
}

// ranOnceInRace judges a round's counts and gives the slug of what they show
// to be wrong; "" where nothing is.
func (j *judging) ranOnceInRace(t *Trial, winner *Exchange, overlapped bool) string {
	e, ok := j.counts(t, "before", "after-race", "settled")
	made := e.Settled - e.Before
	f := Finding{Case: t.Name, Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(made)}
	switch {
	case !ok:
		return ""
	case made > e.Unit:
		f.Slug = j.slug("effect-ran-twice")
		raced, counted := t.Counted("raced")
		if !overlapped || counted && raced.N-e.Before <= e.Unit || j.replayed(t.Under("race"), winner) {
			// The race itself ran once, or there was none: it was a copy after it that ran again.
			f.Follows = j.follows("duplicate/effect-ran-twice")
		}
		j.accuse(t, f, j.op.Promise.Duplicate.Pos, "copies that are in flight together have one effect")
	case made < e.Unit && winner != nil:
		f.Slug = j.slug("effect-missing")
		j.accuse(t, f, j.op.Promise.Duplicate.Pos, "an operation that was answered as done has its effect")
	}
	return f.Slug
}

// replayed says that no copy got a result of its own, where a run would have
// been answered with one: each was a duplicate that came when the first was done.
func (j *judging) replayed(race []*Exchange, winner *Exchange) bool {
	if winner == nil || !j.controls.Vary {
		return false
	}
	for _, x := range race {
		if j.rules.class(x).welcome && len(j.rules.differences(winner, x)) > 0 {
			return false
		}
	}
	return true
}

// judgeLoser judges an answered copy that did not win. Legal are the
// duplicate's answer, and in flight what is declared: an answer, or waiting for
// the first result.
func (j *judging) judgeLoser(t *Trial, winner, x *Exchange, wrong string) {
	p := j.op.Promise
	c := j.rules.class(x)
	if c.inFlight || c.duplicate {
		return
	}
	f := Finding{Case: t.Name, Expected: j.expectedLoser(), Actual: j.rules.describe(x), Follows: cmp.Or(wrong, j.followsDuplicate())}
	if winner != nil && c.accepted {
		ds := j.rules.replay(winner, x)
		if p.Duplicate.Value.Mode == "answer" && (p.InFlight.Value.Wait || !p.InFlight.Known) {
			ds = j.rules.differences(winner, x)
			if len(ds) == 0 && x != winner && !p.InFlight.Known {
				// It has waited, which the contract neither promises nor rules out.
				j.unknown("in_flight", p.InFlight.Pos)
			}
		}
		if shown := j.shown(ds); len(shown) > 0 {
			f.Slug, f.Actual = j.slug("results-differ"), list(shown)
			j.accuse(t, f, p.Duplicate.Pos, "every copy gets the one result")
		}
		return
	}
	if winner == nil && !j.rules.class(t.Last("again")).welcome {
		return // no copy was accepted, then or later: told of the key tried again
	}
	if j.environmental(t, x) || j.notThisWay(t, x) {
		return
	}
	if !p.InFlight.Known && (x.Answer.Status == 409 || x.Answer.Status == 425 || x.Answer.Status == 429) {
		j.unknown("in_flight", p.InFlight.Pos)
		return
	}
	f.Slug = j.slug("loser-error")
	j.accuse(t, f, p.Duplicate.Pos, "a copy that loses the race gets the result or the declared in-flight answer")
}

func (j *judging) expectedLoser() string {
	s := j.expectedDuplicate()
	if m := j.op.Promise.InFlight.Value.Match; m != nil {
		s += ", or in flight: " + m.String()
	}
	return s
}

// judgeAfterRace judges the key tried once more: a key stuck in flight is the
// commonest fault of all.
func (j *judging) judgeAfterRace(t *Trial, winner *Exchange, wrong string) {
	again := t.Last("again")
	if again == nil {
		j.unsure(0, "run the step again", "%s: the key was not tried again", t.Name)
		return
	}
	if !j.final(t, again, "after-race", "settled") || j.environmental(t, again) {
		return
	}
	p := j.op.Promise
	f := Finding{Case: t.Name, Expected: j.expectedDuplicate(), Actual: j.rules.describe(again), Follows: cmp.Or(wrong, j.followsDuplicate())}
	switch {
	case j.rules.blocked(again):
		f.Slug = j.slug("stuck-after-race")
		j.accuse(t, f, p.Duplicate.Pos, "once the race is over the key gives its result")
	case winner == nil:
		if !j.rules.class(again).welcome {
			j.unsure(j.op.Request.Pos.Line, "make the contract's request one that the API accepts",
				"%s: no copy was accepted: %s", t.Name, j.rules.tell(again))
		}
	case j.oneOf(t.Under("race"), again):
	default:
		if shown := j.shown(j.rules.replay(winner, again)); len(shown) > 0 {
			f.Slug, f.Actual = j.slug("other-answer"), list(shown)
			j.accuse(t, f, p.Duplicate.Pos, "once the race is over the key gives the race's result")
		}
	}
}

// oneOf says that an answer gives the result of some copy of a race: which of
// them won cannot always be told.
func (j *judging) oneOf(race []*Exchange, again *Exchange) bool {
	for _, x := range race {
		if j.rules.class(x).welcome && len(j.rules.replay(x, again)) == 0 {
			return true
		}
	}
	return false
}
