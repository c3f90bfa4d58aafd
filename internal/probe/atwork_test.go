package probe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Whoever waits for another's work is let in when it is done, which is before it
// is answered: which of the two answers comes first is chance.
func TestWhoWaitedForTheFirstMayBeAnsweredBeforeIt(t *testing.T) {
	const trial = ", while the first is at work"
	_, events := play(t, marketCase{contract: slowTrade, ways: ways{}}.scene())
	var slow int64
	for _, e := range events {
		if e.Kind == trace.KindAnswer && e.Label == "slow" && strings.HasPrefix(e.Trial, "another caller") && strings.HasSuffix(e.Trial, trial) {
			slow = e.Answer.LastByte
		}
	}
	if slow == 0 {
		t.Fatal("nothing was slow")
	}
	for after, accused := range map[time.Duration]bool{
		5 * time.Millisecond: true, -time.Millisecond: true, -20 * time.Millisecond: true, -time.Second: false,
	} {
		moved := slices.Clone(events)
		for i, e := range moved {
			if e.Kind == trace.KindAnswer && e.Label == "neighbour" && strings.HasPrefix(e.Trial, "another caller") && strings.HasSuffix(e.Trial, trial) {
				a := *e.Answer
				a.FirstByte, a.LastByte = slow+int64(after), slow+int64(after)
				moved[i].Answer = &a
			}
		}
		r := judged(t, moved)
		if found := step(t, r, "scope").Verdict == probe.Fail; found != accused {
			t.Errorf("answered %s after the first was: accused %v\n%s", after, found, outcome(r))
		}
	}
}
