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
