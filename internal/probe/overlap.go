package probe

import (
	"cmp"
	"slices"
)

// overlap says that two copies were in flight together: each was fully written
// before the other's first answer byte, or one got an in-flight answer
// (contract-v1, Steps), where that is an answer about the key.
func (j *judging) overlap(race []*Exchange) bool {
	var whole []*Exchange
	for _, x := range race {
		if c := j.rules.class(x); c.inFlight && !c.duplicate && !j.metByNew(x) {
			return true
		}
		if x.Sent != nil && x.Sent.Whole && x.Answer != nil && x.Answer.FirstByte > 0 {
			whole = append(whole, x)
		}
	}
	// In order of their writing it is enough to look at the latest answer so far.
	slices.SortFunc(whole, func(a, b *Exchange) int { return cmp.Compare(a.Sent.WriteEnded, b.Sent.WriteEnded) })
	var latest int64
	for i, x := range whole {
		if i > 0 && x.Sent.WriteEnded < latest && x.Sent.WriteEnded < x.Answer.FirstByte {
			return true
		}
		latest = max(latest, x.Answer.FirstByte)
	}
	return false
}

// raceTally is what the rounds measured.
type raceTally struct {
	rounds, overlapped int
	copies             int
	spreads            []int64
	lost               []lostCopy
}

// lostCopy is a copy that got no answer.
type lostCopy struct {
	trial *Trial
	round round
	copy  *Exchange
}

// add takes in how far apart a release's copies were written.
func (r *raceTally) add(race []*Exchange) {
	r.rounds++
	r.copies += len(race)
	var first, last int64
	for _, x := range race {
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

func (r *raceTally) lose(t *Trial, of round, x *Exchange) {
	r.lost = append(r.lost, lostCopy{t, of, x})
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
		in[l.round.name]++
		systematic = systematic || in[l.round.name] >= fewLost && in[l.round.name]*partOfAll >= l.round.copies
	}
	if !systematic {
		j.unsure(0, "run the step again", "%d of %d copies got no answer: too many for chance, too few to tell", len(r.lost), r.copies)
		return
	}
	for _, l := range r.lost {
		j.accuse(l.trial, Finding{Slug: j.slug("loser-error"), Case: l.round.name, Expected: j.expectedLoser(),
			Actual: j.rules.describe(l.copy)}, j.op.Promise.Duplicate.Pos,
			"a copy that loses the race gets the result or the declared in-flight answer")
	}
	for i := range j.result.Cases {
		if in[j.result.Cases[i].Name] > 0 {
			j.result.Cases[i].Verdict = Fail
		}
	}
}
