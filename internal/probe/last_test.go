package probe_test

import (
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// TestUnitIsSeenLate holds that nobody is accused by a unit that was counted
// before all of it had come.
func TestUnitIsSeenLate(t *testing.T) {
	r, _ := play(t, scene{behaviour: behaviour{fault: "every operation runs again late"}})
	want := each(all, "inconclusive\n    the counter proves nothing: effects came later than effects.settle: "+
		"two operations counted 2 then and 4 at the end of the run")
	if got := outcome(r); got != want {
		t.Errorf("got:\n%s", got)
	}
}

// TestLastSendsNothing holds what is done at the end of a run to counting.
func TestLastSendsNothing(t *testing.T) {
	r, events := play(t, scene{})
	if got := outcome(r); got != "" {
		t.Fatalf("got:\n%s", got)
	}
	counted := false
	for i := len(events) - 2; events[i].Count != nil; i-- {
		counted = counted || events[i].Step == "duplicate" && events[i].Label == "final"
	}
	if !counted || r.Verdict != probe.Pass {
		t.Error("the duplicate's effects were not counted at the end")
	}
}
