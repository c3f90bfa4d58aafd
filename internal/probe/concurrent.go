package probe

import (
	"fmt"
	"time"
)

// concurrentStep releases copies of one request together, in rounds: pairs
// held at the last body byte, pairs held at the end of the headers (a server
// may look the key up before or after it reads the body), and one stampede.
var concurrentStep = Step{
	Name:  "concurrent",
	What:  "copies of one request in flight together have one effect and one result",
	plan:  planConcurrent,
	judge: judgeConcurrent,
}

// The rounds: how many pairs under each hold, and how large the stampede is.
const (
	pairRounds = 5
	stampede   = 30
)

// round is one release of copies of one request.
type round struct {
	name   string
	copies int
	hold   Hold
}

func rounds() []round {
	var out []round
	for i := 1; i <= pairRounds; i++ {
		out = append(out, round{fmt.Sprintf("2 copies, body hold, round %d", i), 2, HoldBody})
		out = append(out, round{fmt.Sprintf("2 copies, header hold, round %d", i), 2, HoldHeader})
	}
	return append(out, round{fmt.Sprintf("%d copies, body hold", stampede), stampede, HoldBody})
}

// planConcurrent releases the rounds one after another, each key tried once
// more at once, and then looks at all of them together, so that waiting for
// late effects is done once.
func planConcurrent(b *builder) {
	var release []Action
	var look [][]Action
	for _, r := range rounds() {
		op := b.make(r.name)
		id := b.freeze(r.name, op, "")
		release = append(release, Try{Trial: r.name, Body: join(
			b.count("before", op),
			[]Action{
				Send{Label: "race", Request: id, Copies: r.copies, Hold: r.hold}},
			b.count("raced", op),
			[]Action{comeBack("again", id, patience(b.op))},
		)})
		look = append(look, []Action{Try{Trial: r.name, Body: join(
			b.appear("after-race", op),
			b.settled("settled", op),
			[]Action{b.environment(r.name, r.copies, r.hold, "race", "again")},
		)}})
	}
	b.thread("rounds", append(release, Fan{Branches: look})...)
}

func judgeConcurrent(j *judging) {
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	var tally raceTally
	for _, r := range rounds() {
		t := j.history.Trial(r.name)
		before := len(j.result.Findings)
		tally.rounds++
		if overlapped := j.judgeRound(t, r); overlapped {
			tally.overlapped++
		}
		j.spread(t, &tally)
		c := Case{Name: r.name, Verdict: Pass}
		if len(j.result.Findings) > before {
			c.Verdict = Fail
		}
		j.result.Cases = append(j.result.Cases, c)
	}
	j.measure("rounds", "%d, overlapped %d", tally.rounds, tally.overlapped)
	j.measure("spread of the writes", "median %s, largest %s", tally.median(), tally.largest())
	if len(j.result.Findings) > 0 {
		return
	}
	if tally.overlapped == 0 {
		j.unsure(0, "give the operation work to do, or run nearer to the target",
			"no round overlapped: each copy was answered before the other was written")
		return
	}
	j.note("no double in %d overlapped rounds", tally.overlapped)
}

// judgeRound judges one release and says whether its copies overlapped.
func (j *judging) judgeRound(t *Trial, r round) (overlapped bool) {
	race := t.Under("race")
	if len(race) == 0 {
		j.unsure(0, "run the step again", "%s: nothing was sent", t.Name)
		return false
	}
	if j.lapsed(t) {
		return false
	}
	overlapped = j.overlap(race)
	winner := j.winner(race)
	ran := j.ranOnceInRace(t, winner != nil, r)
	inFlightUnknown := false
	for _, x := range race {
		if x != winner {
			inFlightUnknown = j.judgeLoser(t, r, winner, x, ran) || inFlightUnknown
		}
	}
	if inFlightUnknown {
		j.unknown("in_flight", j.op.Promise.InFlight.Pos)
	}
	j.judgeAfterRace(t, r, winner, ran)
	return overlapped
}

// winner is the first copy that was accepted; nil where none was.
func (j *judging) winner(race []*Exchange) *Exchange {
	var best *Exchange
	for _, x := range race {
		if !j.rules.accepted(x) || j.rules.marked(x) && best != nil {
			continue
		}
		if best == nil || j.rules.marked(best) || x.Answer.FirstByte < best.Answer.FirstByte {
			best = x
		}
	}
	return best
}

func (j *judging) ranOnceInRace(t *Trial, accepted bool, r round) bool {
	e, ok := j.counts(t, "before", "after-race", "settled")
	if !ok {
		return true
	}
	p := j.op.Promise
	made := e.Settled - e.Before
	f := Finding{Case: r.name, Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(made)}
	switch {
	case made > e.Unit:
		f.Slug = "concurrent/effect-ran-twice"
		if raced, ok := t.Counted("raced"); ok && raced.N-e.Before <= e.Unit {
			// The race itself ran once: it was the retry after it that ran again.
			f.Follows = j.follows("duplicate/effect-ran-twice")
		}
		j.accuseRace(t, f)
		return false
	case made < e.Unit && accepted:
		f.Slug = "concurrent/effect-missing"
		j.accuse(t, f, p.Duplicate.Pos, "an operation that was answered as done has its effect")
		return false
	}
	return true
}

// accuseOnce adds a race finding once for all rounds: the first round shows it.
func (j *judging) accuseOnce(t *Trial, f Finding, promise string) {
	for _, known := range j.result.Findings {
		if known.Slug == f.Slug {
			return
		}
	}
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, promise)
}

// accuseRace adds the finding of a double, once: a round that ran twice in the
// race itself tells more than one whose retry did.
func (j *judging) accuseRace(t *Trial, f Finding) {
	for i := range j.result.Findings {
		known := &j.result.Findings[i]
		if known.Slug != f.Slug {
			continue
		}
		if known.Follows == "" || f.Follows != "" {
			return
		}
		j.result.Findings = append(j.result.Findings[:i], j.result.Findings[i+1:]...)
		break
	}
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, "copies that are in flight together have one effect")
}

// judgeLoser judges a copy that did not win. Legal are the duplicate's answer,
// and the in-flight answer where it is declared. It says whether the answer
// could only be judged by an in-flight promise that is not stated.
func (j *judging) judgeLoser(t *Trial, r round, winner, x *Exchange, ran bool) (inFlightUnknown bool) {
	p := j.op.Promise
	c := j.rules.class(x)
	if c.inFlight {
		return false
	}
	f := Finding{Case: r.name, Expected: j.expectedLoser(), Actual: j.rules.describe(x)}
	if !ran {
		f.Follows = "concurrent/effect-ran-twice"
	}
	if winner != nil {
		shown, _ := told(j.rules.replay(winner, x))
		if len(shown) == 0 {
			return false
		}
		if c.accepted {
			f.Slug, f.Actual = "concurrent/results-differ", list(shown)
			j.accuseOnce(t, f, "every copy gets the one result")
			return false
		}
	}
	if !p.InFlight.Known && x.Whole() && (x.Answer.Status == 409 || x.Answer.Status == 425 || x.Answer.Status == 429) {
		return true
	}
	if j.environmental(t, x) {
		return false
	}
	f.Slug = "concurrent/loser-error"
	j.accuseOnce(t, f, "a copy that loses the race gets the result or the declared in-flight answer")
	return false
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
func (j *judging) judgeAfterRace(t *Trial, r round, winner *Exchange, ran bool) {
	again := t.Last("again")
	if again == nil {
		j.unsure(0, "run the step again", "%s: the key was not tried again", t.Name)
		return
	}
	if j.environmental(t, again) {
		return
	}
	f := Finding{Case: r.name, Expected: j.expectedDuplicate(), Actual: j.rules.describe(again)}
	if !ran {
		f.Follows = "concurrent/effect-ran-twice"
	}
	if j.rules.unsettled(again) || !again.Whole() {
		f.Slug = "concurrent/stuck-after-race"
		j.accuseOnce(t, f, "once the race is over the key gives its result")
		return
	}
	if winner == nil {
		if !j.rules.accepted(again) {
			j.unsure(j.op.Request.Pos.Line, "make the contract's request one that the API accepts",
				"%s: no copy was accepted: %s", t.Name, j.rules.describe(again))
		}
		return
	}
	if shown, _ := told(j.rules.replay(winner, again)); len(shown) > 0 {
		f.Slug, f.Actual = "concurrent/other-answer", list(shown)
		j.accuseOnce(t, f, "once the race is over the key gives the race's result")
	}
}

// overlap says that two copies were in flight together: each was fully written
// before the other's first answer byte, or one got an in-flight answer
// (contract-v1, Steps).
func (j *judging) overlap(race []*Exchange) bool {
	lastWritten, firstAnswer, written := int64(0), int64(0), 0
	for _, x := range race {
		if j.rules.class(x).inFlight {
			return true
		}
		if x.Sent == nil || !x.Sent.Whole || x.Answer == nil || x.Answer.FirstByte == 0 {
			continue
		}
		written++
		lastWritten = max(lastWritten, x.Sent.WriteEnded)
		if firstAnswer == 0 || x.Answer.FirstByte < firstAnswer {
			firstAnswer = x.Answer.FirstByte
		}
	}
	if written < 2 {
		return false
	}
	if lastWritten < firstAnswer {
		return true
	}
	return somePairOverlaps(race)
}

// somePairOverlaps looks for two of many copies that were in flight together.
func somePairOverlaps(race []*Exchange) bool {
	for i, a := range race {
		for _, b := range race[i+1:] {
			if timed(a) && timed(b) && a.Sent.WriteEnded < b.Answer.FirstByte && b.Sent.WriteEnded < a.Answer.FirstByte {
				return true
			}
		}
	}
	return false
}

func timed(x *Exchange) bool {
	return x.Sent != nil && x.Sent.Whole && x.Answer != nil && x.Answer.FirstByte > 0
}

// raceTally is what the rounds measured.
type raceTally struct {
	rounds, overlapped int
	spreads            []int64
}

func (j *judging) spread(t *Trial, tally *raceTally) {
	var first, last int64
	for _, x := range t.Under("race") {
		if x.Sent == nil {
			continue
		}
		if first == 0 || x.Sent.WriteEnded < first {
			first = x.Sent.WriteEnded
		}
		last = max(last, x.Sent.WriteEnded)
	}
	tally.spreads = append(tally.spreads, last-first)
}

func (r *raceTally) median() time.Duration {
	return quantile(r.spreads, 0.5)
}

func (r *raceTally) largest() time.Duration { return quantile(r.spreads, 1) }
