package probe_test

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// scene is the case as a simulated run of the steps alone.
func (c extendedCase) scene() scene {
	if c.contract == "" {
		c.contract = enabled
	}
	return scene{contract: c.contract, behaviour: c.behaviour, only: extended}
}

func TestExtendedFaults(t *testing.T) {
	for _, c := range extendedFaults {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, c.scene())
			if got := withoutReasons(told4(r)); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s\nall of it:\n%s", got, c.want, told4(r))
			}
			if r.Verdict != probe.Fail || r.Exit != 1 {
				t.Errorf("verdict %s, exit %d", r.Verdict, r.Exit)
			}
			for _, s := range r.Operations[0].Steps {
				for _, found := range s.Findings {
					tellsItsStory(t, s.Step, found)
				}
			}
		})
	}
}

func withoutReasons(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestExtendedStyles(t *testing.T) {
	for i, c := range extendedStyles {
		t.Run(c.name, func(t *testing.T) {
			r, events := play(t, c.scene())
			if got := told4(r); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			if c.want == "" && r.Exit != 0 {
				t.Errorf("exit %d", r.Exit)
			}
			for n := 1 + i; n < len(events); n += 53 {
				cutShort(t, events, n)
			}
		})
	}
}

// TestWaivedExtendedSteps: a waiver holds for an extended step as for one of the
// six, until its date, and for what is inconclusive alone.
func TestWaivedExtendedSteps(t *testing.T) {
	quick := instead(enabled, "work_ms: 1800", "work_ms: 200") // slow is inconclusive
	const unsure = "slow: the slow request was answered after 243ms, within promise.lease of 1s: no owner was seen that works longer"
	for _, c := range []struct {
		name, contract, until string
		behaviour             behaviour
		verdict               probe.Verdict
		exit                  int
		reasons               string
	}{
		{"before its end", quick, "2026-12-31", behaviour{}, probe.Waived, 0, unsure + "; waived until 2026-12-31: nothing is slow there"},
		{"on its last day", quick, "2026-11-30", behaviour{}, probe.Waived, 0, unsure + "; waived until 2026-11-30: nothing is slow there"},
		{"after its end", quick, "2026-11-29", behaviour{}, probe.Inconclusive, 3, unsure + "; its waiver ended on 2026-11-29"},
		{"over a pass", enabled, "2026-12-31", behaviour{}, probe.Pass, 0, ""},
		{"over a fail", enabled, "2026-12-31", behaviour{fault: "live owners lose their claim"}, probe.Fail, 1, ""},
		{"over a fail that is inconclusive too", quick, "2026-12-31", behaviour{fault: "ignores keys"}, probe.Fail, 1, unsure},
	} {
		t.Run(c.name, func(t *testing.T) {
			contract := changedOf(c.contract, "waive: [{step: slow, reason: nothing is slow there, until: "+c.until+"}]")
			r, _ := play(t, scene{contract: contract, behaviour: c.behaviour, only: extended})
			s := step(t, r, "slow")
			var reasons []string
			for _, reason := range s.Reasons {
				reasons = append(reasons, reason.Text)
			}
			if got := strings.Join(reasons, "; "); s.Verdict != c.verdict || r.Exit != c.exit || got != c.reasons {
				t.Errorf("%s, exit %d, %s\n%s", s.Verdict, r.Exit, got, told4(r))
			}
		})
	}
}

// TestExtendedStepsNeedWhatTheyNeed: a step that the contract does not enable is
// not in the report, unless it was asked for.
func TestExtendedStepsNeedWhatTheyNeed(t *testing.T) {
	names := func(sc scene) string {
		r, _ := play(t, sc)
		var out []string
		for _, s := range r.Operations[0].Steps {
			if s.Verdict != probe.Skipped {
				out = append(out, s.Step)
			}
		}
		return strings.Join(out, " ")
	}
	if got, want := names(scene{}), allSix+" disconnect"; got != want {
		t.Errorf("nothing given: %s, want %s", got, want)
	}
	if got, want := names(scene{contract: enabled}), allSix+" slow disconnect outcome fidelity"; got != want {
		t.Errorf("all given: %s, want %s", got, want)
	}
	r, _ := play(t, scene{only: []string{"slow", "outcome", "fidelity"}})
	const want = "slow inconclusive\n    request.slow is not given: what makes the operation slow is unknown\n" +
		"disconnect skipped\n    left out by --only\n" +
		"outcome inconclusive\n    request.failing is not given: how a request is made to fail is unknown\n" +
		"fidelity inconclusive\n    request.variants is not given: what makes answers large, empty or redirecting is unknown\n"
	if got := told4(r); got != want {
		t.Errorf("asked for:\n%s", got)
	}
}
