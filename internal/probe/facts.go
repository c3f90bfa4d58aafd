package probe

import (
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// Holds says whether a condition of the plan holds for a trial, from what has
// been recorded of the step so far.
func (c Condition) Holds(op *contract.Operation, h *History, trial string) bool {
	r := rules{op}
	switch c.Fact {
	case Unsettled:
		x := h.Trial(trial).lastOf(c.Labels)
		if x != nil && c.ConflictSettles && r.class(x).conflict {
			return false
		}
		return r.unsettled(x) || c.Recovering && r.recovering(x)
	case Troubled:
		for _, label := range c.Labels {
			for _, x := range h.Trial(trial).lastCopies(label) {
				if r.class(x).trouble {
					return true
				}
			}
		}
		return false
	case Begun:
		t := h.known(trial)
		return t != nil && len(t.Exchanges)+len(t.Counts) > 0
	case NotLanded:
		for _, t := range h.Trials {
			ops, kill := volleyOf(t)
			if kill == nil || t.notReady() {
				return false // it cannot be done here: trying again changes nothing
			}
			for _, k := range ops {
				if k.landed() {
					return false
				}
			}
		}
		return true
	}
	return false
}

// lastOf gives the latest exchange under any of the labels.
func (t *Trial) lastOf(labels []string) *Exchange {
	for i := len(t.Exchanges) - 1; i >= 0; i-- {
		for _, l := range labels {
			if t.Exchanges[i].Label == l {
				return t.Exchanges[i]
			}
		}
	}
	return nil
}

// lastCopies gives the copies of the last attempt under a label.
func (t *Trial) lastCopies(label string) []*Exchange {
	xs := t.Under(label)
	if len(xs) == 0 {
		return nil
	}
	last := xs[len(xs)-1].Attempt
	var out []*Exchange
	for _, x := range xs {
		if x.Attempt == last {
			out = append(out, x)
		}
	}
	return out
}

// AnswerTime is the median time from a request's last byte to its answer's
// last byte, over what was recorded of a step; 0 where nothing was.
func (h *History) AnswerTime() time.Duration {
	var ns []int64
	for _, t := range h.Trials {
		for _, x := range t.Exchanges {
			if x.Whole() && x.Sent != nil && !strings.HasPrefix(x.Label, "environment") {
				ns = append(ns, x.Answer.LastByte-x.Sent.WriteEnded)
			}
		}
	}
	return quantile(ns, 0.5)
}

// When gives a moment of a labelled send, in nanoseconds since the run began;
// false where it never came.
func (t *Trial) When(label string, m Mark) (int64, bool) {
	var at int64
	for _, x := range t.Under(label) {
		switch m {
		case FirstSent:
			if x.Sent != nil && (at == 0 || x.Sent.WriteBegan < at) {
				at = x.Sent.WriteBegan
			}
		case LastAnswered:
			if x.Answer != nil {
				at = max(at, x.Answer.LastByte)
			}
		}
	}
	return at, at > 0
}
