package probe

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// A request that got no answer may still be on its way, or wait for its turn, and
// its key may be looked up at any time: also when the key's retention is over,
// where it runs anew by right. So effects that were not there within the retention
// are no evidence of a second run where such a request was sent.

// ranUnheard says that a trial's effects rose above a number by what a request
// without an answer may have done when its key was forgotten: no reading under
// the label's counter within the key's effective retention showed so many. The
// reason is said.
func (j *judging) ranUnheard(t *Trial, label string, above int64) bool {
	atLeast, _, known := j.op.EffectiveRetention()
	began, unanswered, left := t.unanswered()
	// Whose requests run twice where all are answered, they run twice here too.
	left = left && j.follows("duplicate/effect-ran-twice") == ""
	if !known || !unanswered && !left {
		return false
	}
	until := began + int64(atLeast)
	c, _ := t.reading(label)
	if slices.ContainsFunc(t.Counts, func(o Counted) bool {
		return o.Subject == c.Subject && sameCounter(o.Label, label) && o.Error == "" && o.N > above && max(o.At, o.Began) < until
	}) {
		return false
	}
	j.unsure(j.op.Promise.Retention.Pos.Line, "give the target a longer retention (expiry.wait), or run where it answers in time",
		"%s: effects were counted that were not there within the key's retention of %s, and a request that got no answer may have run behind it",
		t.Name, atLeast)
	return true
}

// ranLater says that effects after the retention rose above a number only once
// the step was over, and a request without an answer may have run by then: its
// key's second retention, too, can be over. The reason is said.
func (j *judging) ranLater(t *Trial, label string, above int64) bool {
	c, ok := t.reading(label)
	_, unanswered, left := t.unanswered()
	if !ok || c.N > above || !unanswered && !left {
		return false
	}
	j.unsure(j.op.Promise.Retention.Pos.Line, "run where it answers in time",
		"%s: effects were counted at the end of the run that were not there before, and a request that got no answer may have run behind them", t.Name)
	return true
}

// sameCounter says that two readings of one trial's values are of one counter: a
// sibling's stand under labels of the neighbour.
func sameCounter(a, b string) bool { return siblings(a) == siblings(b) }

func siblings(label string) bool {
	for _, of := range []string{"other-", "control-before", "control-after"} {
		if strings.HasPrefix(label, of) {
			return true
		}
	}
	return strings.HasSuffix(label, "-neighbour")
}

// unanswered says whether some request of a trial's key was written and got no
// whole answer, or was left by its caller, and when its first was written.
func (t *Trial) unanswered() (began int64, unanswered, left bool) {
	for _, x := range t.Exchanges {
		if x.Sent == nil || x.Label == "environment" || strings.HasPrefix(x.Label, "control") {
			continue // they have keys of their own
		}
		if began == 0 || x.Sent.WriteBegan < began {
			began = x.Sent.WriteBegan
		}
		unanswered = unanswered || !x.Whole() && !x.hungUp()
		left = left || x.hungUp()
	}
	return began, unanswered, left
}

// outlived says that one of the control's keys was forgotten, it may be, before
// the last look at it was over: its operation may have run twice, and its effects
// are no unit. After is how long it went on.
func (t *Trial) outlived(op *contract.Operation) (after time.Duration, old bool) {
	atLeast, _, known := op.EffectiveRetention()
	if !known {
		return 0, false
	}
	for label, counted := range map[string]string{"one": "one", "other-key": "two"} {
		var first *Exchange
		for _, x := range t.Under(label) {
			if x.Sent == nil {
				continue
			}
			first = cmp.Or(first, x)
			after = max(after, x.reached(first))
			if n, ok := t.reading(counted); ok && !x.Whole() {
				after = max(after, time.Duration(n.At-first.sentAt()))
			}
		}
	}
	return after, after >= atLeast
}
