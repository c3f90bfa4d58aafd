package probe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

const notOfTheKey = "and new keys get the same answer: it is not about the key"

// declared429 is the contract of a service that answers 429 to copies in flight.
func declared429() string { return changed("in_flight: {status: [429], wait: true}") }

// accused gives the steps that fail.
func accused(r *probe.Report) (steps []string) {
	for _, s := range r.Operations[0].Steps {
		if s.Verdict == probe.Fail {
			steps = append(steps, s.Step)
		}
	}
	return steps
}

// TestLimitIsNotInFlight: a right service that answers beyond its capacity with
// the status that is declared as in flight is not accused, and does not pass
// where new keys met that. Without the control it would be accused.
func TestLimitIsNotInFlight(t *testing.T) {
	after := func(d time.Duration) func(*charges, *conn) bool {
		return func(s *charges, _ *conn) bool { return s.now > int64(d) }
	}
	for name, c := range map[string]struct {
		busy  func(*charges, *conn) bool
		exit  int
		saved bool // by the control
	}{
		"three at once":              {crowded(3), 3, true},
		"only copies of a race":      {crowded(6), 0, false},
		"from the start":             {after(0), 3, true},
		"after the controls":         {after(1100 * time.Millisecond), 3, true},
		"in the middle of the races": {after(1700 * time.Millisecond), 3, true},
		"late in the run":            {after(9 * time.Second), 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			r, events := play(t, scene{contract: declared429(), behaviour: behaviour{inFlight: 429, busyWith: 429, busy: c.busy}})
			if got := accused(r); len(got) > 0 {
				t.Errorf("accused in %v\n%s", got, outcome(r))
			}
			if text := outcome(r); r.Exit != c.exit || c.exit != 0 && !strings.Contains(text, notOfTheKey) {
				t.Errorf("exit %d\n%s", r.Exit, text)
			}
			trusting, err := probe.JudgeTrusting(ofEvents(events), "environment")
			if err != nil {
				t.Fatal(err)
			}
			if got := accused(trusting); (len(got) > 0) != c.saved {
				t.Errorf("without the control accused in %v\n%s", got, outcome(trusting))
			}
		})
	}
}

// TestStuckAtADeclaredAnswer: where new keys are answered as ever, a key that
// stays in flight is stuck, whatever the status.
func TestStuckAtADeclaredAnswer(t *testing.T) {
	for fault, step := range map[string]string{
		"stuck after a race":        "concurrent",
		"duplicate stays in flight": "duplicate",
	} {
		for _, status := range []string{"409", "429", "503"} {
			code := map[string]int{"409": 409, "429": 429, "503": 503}[status]
			r, _ := play(t, scene{contract: changed("in_flight: {status: [" + status + "], wait: true}"),
				behaviour: behaviour{fault: fault, inFlight: code}})
			if got := stepOf(r, step); got.Verdict != probe.Fail {
				t.Errorf("%s at %s: %s is %s\n%s", fault, status, step, got.Verdict, outcome(r))
			}
		}
	}
}

// TestStuckBehindALimit: which of the two it was is not known, so that nothing
// is passed there either.
func TestStuckBehindALimit(t *testing.T) {
	r, _ := play(t, scene{contract: declared429(),
		behaviour: behaviour{fault: "duplicate stays in flight", inFlight: 429, busyWith: 429, busy: crowded(3)}})
	if got := stepOf(r, "duplicate"); got.Verdict == probe.Pass || r.Exit == 0 {
		t.Errorf("duplicate is %s, exit %d\n%s", got.Verdict, r.Exit, outcome(r))
	}
}

// TestOneLimitOfAnotherStatus: a limit that tells itself apart excuses nothing.
func TestOneLimitOfAnotherStatus(t *testing.T) {
	r, _ := play(t, scene{contract: changed("in_flight: {status: [409], wait: true}"),
		behaviour: behaviour{fault: "duplicate stays in flight", inFlight: 409, busyWith: 429, busy: limited("conflict/change-1/first")}})
	if got := stepOf(r, "duplicate"); got.Verdict != probe.Fail {
		t.Errorf("duplicate is %s\n%s", got.Verdict, outcome(r))
	}
}
