package probe

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
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
		if y := h.Trial(trial).Last(c.Unlike); c.Unlike != "" && x.Whole() && x.status() == y.status() {
			return false
		}
		return r.unsettled(x) || c.Recovering && r.recovering(x)
	case Accepted:
		return r.class(h.Trial(trial).lastOf(c.Labels)).welcome
	case Troubled:
		return slices.ContainsFunc(c.among(trial), func(trial string) bool {
			t := h.Trial(trial)
			return t.anyLast(c.Labels, r.failing) || t.keptOff(r, c.Labels) || t.turnedAway(r, c.Labels) || c.All && t.any(c.Labels, r.failing)
		})
	case Pending:
		return h.Trial(trial).pending(c.Labels)
	case Awaited:
		return slices.ContainsFunc(c.among(trial), func(trial string) bool {
			t := h.known(trial)
			return t != nil && len(t.Exchanges) > 0 && slices.ContainsFunc(c.Labels, func(l string) bool { return !t.Last(l).Whole() })
		})
	case Unwelcome:
		return !h.Trial(trial).pending(c.Labels) && !r.class(h.Trial(trial).lastOf(c.Labels)).welcome
	case Settled:
		return !r.unsettled(h.Trial(trial).lastOf(c.Labels))
	case Begun:
		t := h.known(trial)
		return t != nil && len(t.Exchanges)+len(t.Counts) > 0
	case Risen:
		t := h.Trial(trial)
		from, ok1 := t.reading(c.Labels[0])
		to, ok2 := t.reading(c.Labels[1])
		return ok1 && ok2 && to.N > from.N
	case InTime:
		k := h.killed()
		return k.made > 0 && !k.failed && k.took+k.another+h.retrying() <= c.Within
	case Unreached:
		return c.unreached(r, h, h.Trial(trial))
	case Kept:
		return c.kept(r, h.Trial(trial))
	case Uncrossed:
		return c.uncrossed(h)
	case Sparse:
		k := h.killed()
		switch {
		case k.made == 0 || k.failed:
			return false // it cannot be done here: trying again changes nothing
		case k.landed == 0:
			return true
		}
		return k.made < enoughKills && k.took+k.another <= c.Within
	}
	return false
}

// among gives the trials that a condition looks at.
func (c Condition) among(trial string) []string {
	if len(c.Among) > 0 {
		return c.Among
	}
	return []string{trial}
}

// killing is how the kills of a step have gone so far.
type killing struct {
	made, landed int
	failed       bool          // one was not done, or the service was not ready again
	took         time.Duration // from the first volley's beginning to what came last
	another      time.Duration // what one more would take, by the mean
}

func (h *History) killed() killing {
	var k killing
	var first, last int64
	for _, t := range h.Trials {
		ops, kill := volleyOf(t)
		if kill == nil && len(t.Exchanges)+len(t.Undone) == 0 {
			continue
		}
		if kill == nil || t.notReady() {
			k.failed = true
			continue
		}
		k.made++
		for _, o := range ops {
			if o.landed() {
				k.landed++
			}
			if o.sent.Sent != nil && (first == 0 || o.sent.Sent.WriteBegan < first) {
				first = o.sent.Sent.WriteBegan
			}
		}
		for _, m := range t.Moments {
			last = max(last, m.At)
		}
		for _, c := range t.Counts {
			last = max(last, c.At)
		}
	}
	if k.made > 0 {
		k.took = time.Duration(last - first)
		k.another = k.took / time.Duration(k.made)
	}
	return k
}

// retriesAtOnce is how many retries are taken to go on at the same time.
const retriesAtOnce = 6

// retrying is how long both retries of one more volley than so far would take.
func (h *History) retrying() time.Duration {
	sent := 0
	for _, t := range h.Trials {
		sent += len(t.Under("volley"))
	}
	return time.Duration(2*(sent+keysPerKill)/retriesAtOnce) * h.answerTime(0.9)
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

// anyLast says that something is true of a copy of the last attempt under some
// of the labels.
func (t *Trial) anyLast(labels []string, is func(*Exchange) bool) bool {
	return slices.ContainsFunc(labels, func(label string) bool { return slices.ContainsFunc(t.lastCopies(label), is) })
}

// any says that something is true of an answer under some of the labels.
func (t *Trial) any(labels []string, is func(*Exchange) bool) bool {
	return slices.ContainsFunc(labels, func(label string) bool { return slices.ContainsFunc(t.Under(label), is) })
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
func (h *History) AnswerTime() time.Duration { return h.answerTime(0.5) }

func (h *History) answerTime(q float64) time.Duration {
	var ns []int64
	for _, t := range h.Trials {
		for _, x := range t.Exchanges {
			if x.Whole() && x.Sent != nil && !strings.HasPrefix(x.Label, "environment") {
				ns = append(ns, x.Answer.LastByte-x.Sent.WriteEnded)
			}
		}
	}
	return quantile(ns, q)
}

// When gives the moment that a wait counts from, in nanoseconds since the run
// began; false where it never came.
func (h *History) When(trial string, w Wait) (int64, bool) {
	if w.From == Ready {
		at := h.readyBefore(math.MaxInt64)
		return at, at > 0
	}
	return h.Trial(trial).When(w.For, w.From)
}

// readyBefore is when the service was last ready again before a moment; 0: never.
func (h *History) readyBefore(moment int64) (ready int64) {
	for _, t := range h.Trials {
		for _, m := range t.Moments {
			if m.Kind == trace.KindReady && m.Process.Ready && m.At <= moment {
				ready = max(ready, m.At)
			}
		}
	}
	return ready
}

// When gives a moment of a labelled send, in nanoseconds since the run began;
// false where it never came.
func (t *Trial) When(label string, m Mark) (int64, bool) {
	var at int64
	came := false // times of a planting are below 0
	for _, x := range t.Under(label) {
		switch m {
		case FirstSent:
			if x.Sent != nil && (!came || x.Sent.WriteBegan < at) {
				at, came = x.Sent.WriteBegan, true
			}
		case LastAnswered:
			if x.Answer != nil && (!came || x.Answer.LastByte > at) {
				at, came = x.Answer.LastByte, true
			}
		}
	}
	return at, came
}
