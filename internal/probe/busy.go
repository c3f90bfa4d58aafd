package probe

import (
	"slices"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// busyMoment is when a request of a fresh key was told that the server is busy.
type busyMoment struct {
	status int
	at     int64
	words  string // "" where they tell nothing of other times: the store was away, or the key was not new
	flight bool   // the contract declares the answer as in flight
	lasts  bool   // of flight: what it tells holds for the whole run
}

// busy gives those moments of the whole run: a limit that new keys meet is not
// what duplicates meet by a fault.
func (c *court) busy() []busyMoment {
	if c.moments != nil {
		return c.moments
	}
	c.moments = []busyMoment{}
	for key, h := range c.histories {
		i := slices.IndexFunc(c.contract.Operations, func(o *contract.Operation) bool { return o.Name == key[0] })
		if i < 0 {
			continue
		}
		rule := rules{c.contract.Operations[i]}
		for _, t := range h.Trials {
			for _, x := range t.Exchanges {
				fresh := x.Attempt == 0 && (firstLabels[x.Label] || x.Label == "control" || x.Label == "environment")
				// After a crash many keys are retried at once: one that was told when
				// to come back, and was answered then, has met a limit.
				passed := h.Step == "crash" && x.Whole() && retryAfter(x.Answer) > 0 && !rule.class(t.Last(x.Label)).trouble
				// Requests are made to fail in the one, and the store is taken away in the other.
				usual := h.Step != outcomeStep.Name && h.Step != storeDownStep.Name
				fresh = fresh || usual && t.alone(x)
				// What a kill meets tells of the kill, what a key at the border of its
				// rules meets of the rules, and values that were sent before of those.
				plain := firstLabels[x.Label] && x.Label != "other-key" && h.Step != keyRulesStep.Name || x.Label == "environment"
				failed := usual && h.Step != crashStep.Name && x.Attempt == 0 && plain && rule.failing(x)
				if (fresh || passed) && x.Whole() && (rule.class(x).trouble || failed) {
					m := busyMoment{status: x.Answer.Status, at: x.Answer.FirstByte}
					if fresh && usual {
						m.words = wording(x.Answer)
					}
					c.moments = append(c.moments, m)
				}
				if m, ok := unownedMoment(rule, h.Step, x); ok {
					c.moments = append(c.moments, m)
				}
			}
		}
	}
	return c.moments
}

// alone says that an exchange was answered before anything else was sent under
// its key: what it met no duplicate can have brought about.
func (t *Trial) alone(x *Exchange) bool {
	if !x.Whole() || x.Sent == nil || x.Request == nil || x.Request.Key == "" {
		return false
	}
	return !slices.ContainsFunc(t.Exchanges, func(o *Exchange) bool {
		return o != x && o.Sent != nil && o.Request != nil && o.Request.Key == x.Request.Key && o.Sent.WriteBegan < x.Answer.FirstByte
	})
}

// sameSecond is how near to each other two answers tell of one limit.
const sameSecond = int64(time.Second)

// busyAt says that a first request of another key met the same: within a second
// of an answer, or word for word at any time of the run. A limit that has let
// the control's requests pass since is one all the same.
func (j *judging) busyAt(x *Exchange) (when string, met bool) {
	if !x.Whole() {
		return "", false
	}
	for _, m := range j.busy {
		switch {
		case m.flight || m.status != x.Answer.Status:
		case max(m.at, x.Answer.FirstByte)-min(m.at, x.Answer.FirstByte) <= sameSecond:
			return "a new key met the same within a second", true
		case m.words == wording(x.Answer):
			when = "a new key met the same, word for word, at another time of the run"
		}
	}
	return when, when != ""
}

// wording is what tells the words of two answers apart.
func wording(a *trace.Answer) string { return "sha256 " + a.Body.SHA256 }
