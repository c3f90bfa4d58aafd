package probe_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// passing gives a trace in which every step passes.
func passing(t testing.TB) []trace.Event {
	t.Helper()
	events := perform(t, scene{behaviour: behaviour{inFlight: 409}})
	if got := outcome(judged(t, events)); got != "" {
		t.Fatalf("not a passing trace:\n%s", got)
	}
	return events
}

// ended gives the steps whose end stands in events.
func ended(events []trace.Event) map[string]bool {
	out := map[string]bool{}
	for _, e := range events {
		if e.Kind == trace.KindStep {
			out[e.Step] = true
		}
	}
	return out
}

// TestCutShort cuts a passing trace at many events, and before and after each
// step's end: nobody is accused, and a step is passed only if its end was recorded.
func TestCutShort(t *testing.T) {
	events := passing(t)
	for n := 1; n < len(events); n++ {
		if n%13 != 1 && events[n-1].Kind != trace.KindStep && events[n].Kind != trace.KindStep {
			continue
		}
		r := judgedEvents(t, events[:n])
		if r.Exit != 130 || !r.Interrupted {
			t.Fatalf("%d events: exit %d", n, r.Exit)
		}
		whole := ended(events[:n])
		for _, s := range r.Operations[0].Steps {
			if want := map[bool]probe.Verdict{true: probe.Pass, false: probe.Inconclusive}[whole[s.Step]]; s.Verdict != want {
				t.Fatalf("%d events, last %s %s %s: %s is %s, want %s\n%s", n, events[n-1].Kind, events[n-1].Trial, events[n-1].Label,
					s.Step, s.Verdict, want, outcome(r))
			}
		}
	}
}

func judgedEvents(t testing.TB, events []trace.Event) *probe.Report {
	t.Helper()
	r, err := probe.Judge(ofEvents(events))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ofEvents(events []trace.Event) func(func(trace.Event, error) bool) {
	return func(yield func(trace.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestSecondEffectFails adds an effect to the last counts of one trial of a
// passing trace: its step fails, and no other.
func TestSecondEffectFails(t *testing.T) {
	events := passing(t)
	last := map[[2]string]int{} // step and trial (and operation of a kill) to its last count
	for i, e := range events {
		if e.Kind == trace.KindCount && e.Step != probe.ControlStep && !strings.Contains(e.Label, "control") {
			unit := e.Trial
			if e.Step == "crash" {
				unit += e.Label
			}
			last[[2]string{e.Step, unit}] = i
		}
	}
	tried, met := map[string]int{}, map[string]int{}
	for _, place := range slices.SortedFunc(maps.Keys(last), func(a, b [2]string) int { return last[a] - last[b] }) {
		i := last[place]
		if strings.Contains(place[1], "survived") || strings.Contains(place[1], "after-") {
			continue
		}
		// Many trials of a step are alike: every fifth of them, the first included.
		kind := place[0] + strings.TrimRight(place[1], "0123456789")
		if met[kind]++; met[kind]%5 != 1 {
			continue
		}
		changed := append([]trace.Event(nil), events...)
		c := *events[i].Count
		c.N++
		changed[i].Count = &c
		r := judgedEvents(t, changed)
		tried[place[0]]++
		for _, s := range r.Operations[0].Steps {
			want := s.Step == place[0]
			if want && strings.HasPrefix(place[1], "kept-") {
				// It shows that the store does not outlive a restart, and the crash step's
				// own operations did: nothing is told apart after it.
				if s.Verdict != probe.Inconclusive {
					t.Errorf("one effect more at %s of %s: %s is %s", events[i].Label, place, s.Step, s.Verdict)
				}
				continue
			}
			if want && s.Step == "disconnect" && events[i].Label == "final" {
				// What was hung up on may have come to it behind the retention.
				if s.Verdict != probe.Inconclusive {
					t.Errorf("one effect more at %s of %s: %s is %s", events[i].Label, place, s.Step, s.Verdict)
				}
				continue
			}
			if (s.Verdict == probe.Fail) != want {
				t.Errorf("one effect more at %s of %s: %s is %s\n%s", events[i].Label, place, s.Step, s.Verdict, outcome(r))
			}
		}
	}
	for step := range strings.FieldsSeq(allSix) {
		if tried[step] == 0 {
			t.Errorf("no count of %s was tried", step)
		}
	}
}

// TestEventsTakenOut takes any one event out of a passing trace: no step that
// lost one gets better than it was, and nothing crashes.
func TestEventsTakenOut(t *testing.T) {
	events := passing(t)
	rapid.Check(t, func(rt *rapid.T) {
		from := rapid.IntRange(1, len(events)-1).Draw(rt, "from")
		many := rapid.IntRange(1, 12).Draw(rt, "many")
		left := append(append([]trace.Event(nil), events[:from]...), events[min(from+many, len(events)):]...)
		r := judgedEvents(t, left)
		complete := ended(left)
		for _, s := range r.Operations[0].Steps {
			if s.Verdict == probe.Pass && !complete[s.Step] {
				rt.Fatalf("%s passes without its end", s.Step)
			}
		}
	})
}
