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
				// What a kill meets tells of the kill.
				failed := usual && h.Step != crashStep.Name && x.Attempt == 0 && (firstLabels[x.Label] || x.Label == "environment") && rule.failing(x)
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

// everybodyFails applies the environment control to an undeclared 5xx that is no
// trouble by itself (that is environmental's): where fresh keys get errors too, it
// is no answer to this key.
func (j *judging) everybodyFails(t *Trial, x *Exchange) bool {
	if c := j.rules.class(x); c.none || c.trouble || !j.rules.failing(x) || j.trusts("environment") {
		return false
	}
	others, met := t.Under("environment"), 0
	for _, o := range others {
		if j.rules.failing(o) {
			met++
		}
	}
	when, elsewhere := j.busyAt(x)
	switch {
	case met > 0:
		j.control("environment", false, "%d of %d requests under other keys failed too (%s)", met, len(others), j.rules.describe(x))
	case elsewhere:
		j.control("environment", false, "%s (%s)", when, j.rules.describe(x))
	case len(others) == 0:
		j.unsure(0, "run it again to the end", "%s: %s, and the run ended before other keys were tried", t.Name, j.rules.describe(x))
		return true
	default:
		j.control("environment", true, "0 of %d requests under other keys failed too (%s)", len(others), j.rules.describe(x))
		return false
	}
	j.unsure(0, "run against a target that answers new keys without errors, or declare the answer in the contract",
		"%s: %s, and so did other keys: the environment did it", t.Name, j.rules.describe(x))
	return true
}

// wording is what tells the words of two answers apart.
func wording(a *trace.Answer) string { return "sha256 " + a.Body.SHA256 }
