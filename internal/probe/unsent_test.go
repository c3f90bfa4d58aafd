package probe_test

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestUnsentRacesSayWhy: where no copy of a race was sent, what kept it is told.
func TestUnsentRacesSayWhy(t *testing.T) {
	const why = "the command that signs ended with exit 7"
	var events []trace.Event
	said := map[string]bool{}
	for _, e := range perform(t, scene{}) {
		if e.Step != "concurrent" || e.Trial == "" || e.Kind == trace.KindRequest {
			events = append(events, e)
			continue
		}
		if !said[e.Trial] {
			said[e.Trial] = true
			events = append(events, trace.Event{At: e.At, Kind: trace.KindUndone, Operation: e.Operation, Step: e.Step, Trial: e.Trial, Label: "race", Text: why})
		}
	}
	for i := range events {
		events[i].Seq = int64(i) + 1
	}
	s := step(t, judged(t, events), "concurrent")
	if s.Verdict != probe.Inconclusive || len(said) == 0 {
		t.Errorf("%s, %d trials", s.Verdict, len(said))
	}
	told := 0
	for _, r := range s.Reasons {
		if strings.HasSuffix(r.Text, "nothing was sent: "+why) {
			told++
		}
	}
	if told == 0 {
		t.Errorf("no reason tells it: %v", s.Reasons)
	}
}
