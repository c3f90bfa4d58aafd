package probe_test

import (
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestOvertaken: a slow request that is told that its key is in flight was
// perhaps overtaken on its way by a duplicate, unless another was told so of
// its claim before.
func TestOvertaken(t *testing.T) {
	inFlight := func(e *trace.Event) {
		e.Answer.Status, e.Answer.Body.Head = 409, `{"error":"in progress"}`
	}
	for name, c := range map[string]struct {
		owned bool
		want  probe.Verdict
	}{
		"overtaken, for all that is known": {false, probe.Inconclusive},
		"it owned its key":                 {true, probe.Fail},
	} {
		events := altered(perform(t, extendedCase{}.scene()), func(e *trace.Event) {
			switch {
			case e.Step != "slow" || e.Answer == nil:
			case e.Label == "slow":
				inFlight(e)
			case e.Label == "during-1" && c.owned:
				inFlight(e)
				e.Answer.FirstByte = e.Answer.FirstByte - int64(1200e6) // before the next was sent
			}
		})
		if got := step(t, judged(t, events), "slow"); got.Verdict != c.want {
			t.Errorf("%s: %s %v %v", name, got.Verdict, got.Reasons, got.Findings)
		}
	}
}

// TestNewKeysWaitInVain: a key that keeps its caller waiting is stuck, but not
// where the machine did the same to a new key at another time of the run.
func TestNewKeysWaitInVain(t *testing.T) {
	for name, c := range map[string]struct {
		elsewhere bool
		want      probe.Verdict
	}{
		"the key alone":  {false, probe.Fail},
		"a new key, too": {true, probe.Inconclusive},
	} {
		stuck := behaviour{fault: "a hang-up leaves the key in flight"}
		events := altered(perform(t, scene{contract: enabled, behaviour: stuck, only: []string{"disconnect", "fidelity"}}), func(e *trace.Event) {
			if e.Answer == nil {
				return
			}
			if e.Step == "disconnect" && e.Answer.Status == 409 || c.elsewhere && e.Step == "fidelity" && e.Label == "variant" {
				e.Answer.Outcome, e.Answer.Status, e.Answer.FirstByte = trace.TimedOut, 0, 0
				if e.Step == "disconnect" {
					e.Answer.LastByte += int64(time.Second)
				}
			}
		})
		if got := step(t, judged(t, events), "disconnect"); got.Verdict != c.want {
			t.Errorf("%s: %s %v %v", name, got.Verdict, got.Reasons, got.Findings)
		}
	}
}
