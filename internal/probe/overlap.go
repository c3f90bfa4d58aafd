package probe

import (
	"cmp"
	"math"
	"slices"
)

// overlap says that two copies were in flight together: each was fully written
// before the other's first answer byte, or one got an in-flight answer
// (contract-v1, Steps), where that is an answer about the key. A write that was
// seen to end as late as an answer came had ended by then.
func (j *judging) overlap(race []*Exchange) bool {
	var whole []*Exchange
	for _, x := range race {
		if c := j.rules.class(x); c.inFlight && !c.duplicate && !j.metByNew(x) {
			return true
		}
		if x.Sent != nil && x.Sent.Whole && x.Answer != nil && x.Answer.FirstByte > x.Sent.WriteBegan {
			whole = append(whole, x)
		}
	}
	// In order of their writing it is enough to look at the latest answer so far.
	slices.SortFunc(whole, func(a, b *Exchange) int { return cmp.Compare(a.Sent.WriteEnded, b.Sent.WriteEnded) })
	latest := int64(math.MinInt64)
	for _, x := range whole {
		if end := x.Sent.WriteEnded; end <= latest && end <= x.Answer.FirstByte {
			return true
		}
		latest = max(latest, x.Answer.FirstByte)
	}
	return false
}

// raceTally is what the rounds measured.
type raceTally struct {
	overlapped, copies int
	spreads            []int64
	lost               []lostCopy
	all                []raced
}

// raced is one round: whether it counts, and what it came to.
type raced struct {
	trial  *Trial
	race   []*Exchange
	why    string // it does not count; empty: it does
	broken bool
}

// uncounted gives why rounds do not count, the commonest reason first.
func (r *raceTally) uncounted() []Uncounted {
	var out []Uncounted
	for _, one := range r.all {
		if one.why != "" {
			out = addUncounted(out, one.why)
		}
	}
	return out
}

// addUncounted counts one more round under its reason.
func addUncounted(out []Uncounted, why string) []Uncounted {
	i := slices.IndexFunc(out, func(u Uncounted) bool { return u.Why == why })
	if i < 0 {
		i = len(out)
		out = append(out, Uncounted{Why: why})
	}
	out[i].Rounds++
	slices.SortStableFunc(out, func(a, b Uncounted) int { return b.Rounds - a.Rounds })
	return out
}

// lostCopy is a copy that got no answer.
type lostCopy struct {
	trial *Trial
	copy  *Exchange
}

// add takes in a round, and how far apart its copies were written.
func (r *raceTally) add(one raced) {
	r.all = append(r.all, one)
	r.copies += len(one.race)
	if one.why == "" {
		r.overlapped++
	}
	var first, last int64
	for _, x := range one.race {
		if x.Sent == nil {
			continue
		}
		if first == 0 || x.Sent.WriteEnded < first {
			first = x.Sent.WriteEnded
		}
		last = max(last, x.Sent.WriteEnded)
	}
	if first > 0 {
		r.spreads = append(r.spreads, last-first)
	}
}

// Bounds of what a network may lose: so few copies without an answer show
// nothing, and so large a part of them is the server's doing.
const (
	fewLost   = 3
	partOfAll = 5 // one of so many
)

// judgeLost judges the copies that got no answer. One that is lost now and
// then is the network's; a server that cuts losers off does it again and again.
func (j *judging) judgeLost(r *raceTally) {
	if len(r.lost) == 0 {
		return
	}
	if len(r.lost) < fewLost {
		j.note("%d of %d copies got no answer: they show nothing", len(r.lost), r.copies)
		return
	}
	systematic := len(r.lost)*partOfAll >= r.copies
	in := map[string]int{}
	for _, l := range r.lost {
		if j.environmental(l.trial, l.copy) {
			return
		}
		lost := in[l.trial.Name] + 1
		in[l.trial.Name] = lost
		systematic = systematic || lost >= fewLost && lost*partOfAll >= len(l.trial.Under("race"))
	}
	if !systematic {
		j.unsure(0, "run the step again", "%d of %d copies got no answer: too many for chance, too few to tell", len(r.lost), r.copies)
		return
	}
	for _, l := range r.lost {
		j.accuse(l.trial, Finding{Slug: j.slug("loser-error"), Case: l.trial.Name, Expected: j.expectedLoser(),
			Actual: j.rules.describe(l.copy)}, j.op.Promise.Duplicate.Pos,
			"a copy that loses the race gets the result or the declared in-flight answer")
	}
	for i := range j.result.Cases {
		if in[j.result.Cases[i].Name] > 0 {
			j.result.Cases[i].Verdict = Fail
		}
	}
	for i := range r.all {
		r.all[i].broken = r.all[i].broken || in[r.all[i].trial.Name] > 0
	}
}
