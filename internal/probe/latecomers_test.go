package probe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// altered gives events with some of them changed.
func altered(events []trace.Event, change func(*trace.Event)) []trace.Event {
	out := slices.Clone(events)
	for i := range out {
		if a := out[i].Answer; a != nil {
			a := *a
			out[i].Answer = &a
		}
		if c := out[i].Count; c != nil {
			c := *c
			out[i].Count = &c
		}
		change(&out[i])
	}
	return out
}

// TestUnansweredMayRunLate: a request that got no answer may be at work when its
// key has been forgotten. A second effect that came then accuses nobody; one that
// was there before does, and so does one where every request was answered.
func TestUnansweredMayRunLate(t *testing.T) {
	const key = "the longest key"
	for name, c := range map[string]struct {
		lost    bool
		settled int64 // effects more
		later   time.Duration
		want    probe.Verdict
	}{
		"nothing more":                  {true, 0, time.Minute, probe.Pass},
		"more behind the retention":     {true, 0, 2 * time.Minute, probe.Inconclusive},
		"more before it":                {true, 1, 2 * time.Minute, probe.Fail},
		"more before it, read late":     {true, 0, time.Second, probe.Fail},
		"more, and all answered":        {false, 0, 2 * time.Minute, probe.Fail},
		"more before, and all answered": {false, 1, 2 * time.Minute, probe.Fail},
	} {
		sc := marketCase{}.scene()
		if c.lost {
			sc.disturb = losing(trace.Cut, map[string]int{"key-rules/" + key + "/one": 1})
		}
		events := altered(perform(t, sc), func(e *trace.Event) {
			if e.Count == nil || e.Trial != key {
				return
			}
			if e.Label == "settled" {
				e.Count.N += c.settled
			}
			if e.Label == "final" {
				e.At, e.Count.Began = e.At+int64(c.later), e.Count.Began+int64(c.later)
				if c.want != probe.Pass {
					e.Count.N++
				}
			}
		})
		if got := step(t, judged(t, events), "key-rules"); got.Verdict != c.want {
			t.Errorf("%s: %s %v", name, got.Verdict, got.Reasons)
		}
	}
}

// TestControlThatOutlivedItsKey: a control whose key may have been forgotten
// before it was answered has perhaps run twice, and gives no unit.
func TestControlThatOutlivedItsKey(t *testing.T) {
	events := perform(t, scene{})
	for _, label := range []string{"one", "other-key"} {
		late := altered(events, func(e *trace.Event) {
			if e.Step == probe.ControlStep && e.Label == label && e.Answer != nil {
				e.Answer.FirstByte, e.Answer.LastByte = e.Answer.FirstByte+int64(4*time.Second), e.Answer.LastByte+int64(4*time.Second)
			}
		})
		got := step(t, judged(t, late), "duplicate")
		if got.Verdict != probe.Inconclusive || !strings.Contains(got.Reasons[0].Text, "longer than a key's retention") {
			t.Errorf("%s answered behind the retention: %s %v", label, got.Verdict, got.Reasons)
		}
	}
}
