package probe

import (
	"cmp"

	"github.com/idem-toolkit/idem/internal/trace"
)

// Why a round does not count, as it is told of a case.
const (
	notTogether  = "its copies did not overlap"
	early        = "an answer came before its request was whole"
	notHeld      = "a copy was not held until the release"
	notProcessed = "the server told that it did not process a copy"
	unwritten    = "a copy was not written whole"
	unconnected  = "a copy got no connection"
	unsent       = "nothing was sent"
	unanswered   = "a copy got no answer"
	allRefused   = "its copies were refused, and so were other keys that went the same way"
	lapsedKey    = "its key's retention was over"
)

// settlesUncounted says what would let rounds count that did not, by the reason.
var settlesUncounted = map[string]string{
	notTogether:  "give the operation work to do, or run nearer to the target",
	early:        "let the server read requests whole before it answers them",
	notHeld:      "run nearer to the target, or let the server read what has come of a request",
	notProcessed: "raise the server's limit of streams at a time, or choose --http 1.1",
	unwritten:    "run it again against a server that takes requests whole",
	unconnected:  "let the target take as many connections at a time",
	unsent:       "run the step again",
	unanswered:   "see why the target leaves requests without an answer, or raise target.timeout",
	allRefused:   "let the server answer in every version of HTTP that it offers, or choose the one that it answers: --http 2 or 1.1",
	lapsedKey:    "run nearer to the target",
}

// uncounted says why a round is no evidence of a race, "" where it is. It is
// where two copies at least were held, written whole and processed, answered no
// earlier than that, and in flight together.
func (j *judging) uncounted(race []*Exchange) string {
	fair, why := fairCopies(race)
	switch {
	case len(fair) < 2 && why != "":
		return why
	case j.overlap(fair):
		return ""
	case !answeredTwice(fair):
		return unanswered
	}
	return notTogether
}

// answeredTwice says that two copies at least were answered, were it in part.
func answeredTwice(race []*Exchange) bool {
	n := 0
	for _, x := range race {
		if x.Answer != nil && x.Answer.FirstByte > 0 {
			n++
		}
	}
	return n > 1
}

// fairCopies gives the copies of a round that a race can be seen by, and what
// kept the first of the others out.
func fairCopies(race []*Exchange) (fair []*Exchange, why string) {
	for _, x := range race {
		out := x.unfair()
		if out == "" {
			fair = append(fair, x)
		} else if why == "" {
			why = out
		}
	}
	return fair, why
}

// nothingRaced says why no round is evidence.
func (j *judging) nothingRaced(tally *raceTally) {
	why := tally.uncounted()
	if j.saidOfEach(why) {
		return
	}
	if len(why) == 0 || why[0].Why == notTogether {
		j.unsure(0, settlesUncounted[notTogether], "no round overlapped: each copy was answered before the other was written")
		return
	}
	j.unsure(0, settlesUncounted[why[0].Why], "no round counts: in %d of %d %s", why[0].Rounds, len(tally.all), why[0].Why)
}

// pairRaced leaves the step open where no pair counts: a stampede tests what its
// losers are told, and not the window (release, What that teaches 3).
func (j *judging) pairRaced(tally *raceTally) {
	pairs, why := 0, []Uncounted(nil)
	for _, r := range tally.all {
		if len(r.race) > 2 {
			continue
		}
		if r.why == "" {
			return
		}
		pairs, why = pairs+1, addUncounted(why, r.why)
	}
	if pairs > 0 && !j.saidOfEach(why) {
		j.unsure(0, settlesUncounted[why[0].Why], "no pair counts: in %d of %d %s; what counts is %s of many copies, "+
			"which tests what losers are told and not the window", why[0].Rounds, pairs, why[0].Why, some(tally.overlapped, "round", "rounds"))
	}
}

// saidOfEach says that the reason why rounds do not count was given with each.
func (j *judging) saidOfEach(why []Uncounted) bool {
	return len(why) > 0 && why[0].Why == allRefused && len(j.result.Reasons) > 0
}

// tellMissing notes what rounds that count did without: a release of fewer copies
// than was meant is never silent (release, Design).
func (j *judging) tellMissing(tally *raceTally) {
	rounds, missing, first := 0, 0, ""
	for _, r := range tally.all {
		fair, why := fairCopies(r.race)
		if r.why != "" || why == "" {
			continue
		}
		rounds++
		missing += len(r.race) - len(fair)
		first = cmp.Or(first, why)
	}
	if rounds > 0 {
		j.note("in %s %s took no part: %s", some(rounds, "round that counts", "rounds that count"), some(missing, "copy", "copies"), first)
	}
}

func (x *Exchange) unfair() string {
	switch a := x.Answer; {
	case x.unprocessed():
		return notProcessed
	case x.Sent == nil:
		return unconnected
	case a != nil && a.FirstByte > 0 && (!x.Sent.Whole || a.FirstByte <= x.Sent.WriteBegan):
		return early
	case !x.Sent.Whole:
		return unwritten
	case x.Sent.Hold == "":
		return notHeld
	}
	return ""
}

// unprocessed says that the server told that it did nothing with the request: it
// is no answer about the key, and no second effect is made by sending it again
// (RFC 9113, 8.7).
func (x *Exchange) unprocessed() bool {
	return x != nil && x.Answer != nil && x.Answer.Unprocessed && x.Answer.Outcome != trace.Answered
}
