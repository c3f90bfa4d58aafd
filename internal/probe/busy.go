package probe

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// busyMoment is when a request of a fresh key was told that the server is busy,
// or got no whole answer.
type busyMoment struct {
	status int
	none   trace.Outcome // where no whole answer came, what came instead
	at     int64
	words  string // "" where they tell nothing of other times: the store was away, or the key was not new
	flight bool   // the contract declares the answer as in flight
	lasts  bool   // of flight: what it tells holds for the whole run
}

// busy gives those moments of the whole run, and how many new keys were answered
// in it: a limit that new keys meet is not what duplicates meet by a fault.
func (c *court) busy() (moments []busyMoment, newKeys int) {
	if c.moments != nil {
		return c.moments, c.fresh
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
				m, newKey, ok := t.busyMoment(rule, h.Step, x)
				if newKey {
					c.fresh++
				}
				if ok {
					c.moments = append(c.moments, m)
				}
				if x.ofNewKey() && x.Sent != nil && rule.class(x).welcome {
					c.worked = append(c.worked, working{x.Sent.WriteBegan, x.Answer.LastByte})
				}
				if m, ok := unownedMoment(rule, h.Step, x); ok {
					c.moments = append(c.moments, m)
				}
			}
		}
	}
	return c.moments, c.fresh
}

// busyMoment is when an exchange of a trial was told that the server is busy;
// false of any other, and of one whose key may have brought that about. NewKey
// says that it was answered, and its key new, in a step that disturbs nothing.
func (t *Trial) busyMoment(r rules, step string, x *Exchange) (m busyMoment, newKey, ok bool) {
	if !x.Whole() {
		return busyMoment{none: x.outcome()}, false, t.keptWaiting(r, step, x)
	}
	// Requests are made to fail in the one, and the store is taken away in the other.
	usual := step != outcomeStep.Name && step != storeDownStep.Name
	newKey = usual && (x.ofNewKey() || t.alone(x))
	// After a crash many keys are retried at once: one that was told when to come
	// back, and was answered then, has met a limit.
	passed := step == crashStep.Name && retryAfter(x.Answer) > 0 && !r.class(t.Last(x.Label)).trouble
	// What a kill meets tells of the kill, what a key at the border of its rules
	// meets of the rules, and values that were sent before of those.
	plain := firstLabels[x.Label] && x.Label != "other-key" && step != keyRulesStep.Name || x.Label == "environment"
	failed := usual && step != crashStep.Name && x.Attempt == 0 && plain && r.failing(x)
	if !newKey && !x.ofNewKey() && !passed || !r.class(x).trouble && !failed {
		return m, newKey, false
	}
	m = busyMoment{status: x.Answer.Status, at: x.Answer.FirstByte}
	if newKey {
		m.words = wording(x.Answer)
	}
	return m, newKey, true
}

// keptWaiting says that an exchange got no whole answer which was the first of
// its key, with nothing in its way, or which was answered with a result when it
// was sent again: a machine that stands still, or loses connections, does so to
// any request. What works for long, is killed, is made to fail or has its store
// taken away tells of that alone, and a key at the border of its rules of them.
func (t *Trial) keptWaiting(r rules, step string, x *Exchange) bool {
	switch step {
	case slowStep.Name, disconnectStep.Name, outcomeStep.Name, crashStep.Name, storeDownStep.Name:
		return false
	}
	if !r.failing(x) || t.Last("slow") != nil {
		return false
	}
	ruled := step == keyRulesStep.Name && x.Label != "control" && x.Label != "environment"
	return !ruled && t.alone(x) || t.cameThrough(r, x)
}

// cameThrough says that the request of an exchange was answered with a result when it
// was sent again under its label.
func (t *Trial) cameThrough(r rules, x *Exchange) bool {
	return slices.ContainsFunc(t.Under(x.Label), func(o *Exchange) bool {
		return o.Attempt > x.Attempt && o.Request == x.Request && r.class(o).welcome
	})
}

// outcome is what became of an exchange; "" where nothing was recorded.
func (x *Exchange) outcome() trace.Outcome {
	if x == nil || x.Answer == nil {
		return ""
	}
	return x.Answer.Outcome
}

// ofNewKey says that an exchange is the first of a key that was never sent before.
func (x *Exchange) ofNewKey() bool {
	return x.Attempt == 0 && (firstLabels[x.Label] || x.Label == "control" || x.Label == "environment")
}

// alone says that an exchange ended before anything else was sent under its key:
// what it met no duplicate can have brought about.
func (t *Trial) alone(x *Exchange) bool {
	if x.answeredAt() == 0 || x.Sent == nil || x.Request == nil || x.Request.Key == "" {
		return false
	}
	return !slices.ContainsFunc(t.Exchanges, func(o *Exchange) bool {
		return o != x && o.Sent != nil && o.Request != nil && o.Request.Key == x.Request.Key && o.Sent.WriteBegan < x.answeredAt()
	})
}

// sameSecond is how near to each other two answers tell of one limit.
const sameSecond = int64(time.Second)

// busyAt says that a first request of another key met the same: within a second
// of an answer, or word for word at any time of the run. A limit that has let
// the control's requests pass since is one all the same.
func (j *judging) busyAt(x *Exchange) (when string, met bool) {
	if !x.Whole() {
		met := x.outcome() != "" && slices.ContainsFunc(j.busy, func(m busyMoment) bool { return m.none == x.outcome() })
		return "a new key met the same at another time of the run", met
	}
	for _, m := range j.busy {
		switch {
		case m.flight || m.none != "" || m.status != x.Answer.Status:
		case max(m.at, x.Answer.FirstByte)-min(m.at, x.Answer.FirstByte) <= sameSecond:
			return "a new key met the same within a second", true
		case m.words == wording(x.Answer):
			when = "a new key met the same, word for word, at another time of the run"
		}
	}
	return when, when != ""
}

// wording is what tells the words of two answers apart. Words with a digit in
// them name a request, a time or a count, and are left out.
func wording(a *trace.Answer) string {
	if a.Body.Base64 || a.Body.Truncated {
		return "sha256 " + a.Body.SHA256
	}
	words := strings.FieldsFunc(a.Body.Head, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) }), " ") + "."
}
