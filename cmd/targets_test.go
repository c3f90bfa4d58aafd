package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// targetRounds repeats the check of the real servers: ten in a row is the bar,
// one in the usual test run.
var targetRounds = flag.Int("target-rounds", 1, "how often each real server is checked")

// TestRealServers lets the whole check run against servers that others wrote.
// What it must say of each was found out by hand, from their answers and their
// source; docs/findings.md has the reasons.
func TestRealServers(t *testing.T) {
	testneed.Long(t, "real servers take half a minute each")
	t.Parallel()
	count := buildGo(t, "count")
	for _, target := range realServers {
		t.Run(strings.TrimSuffix(target.contract, ".yaml"), func(t *testing.T) {
			t.Parallel()
			env := target.install(t)
			env["COUNT"] = count
			for round := 1; round <= *targetRounds; round++ {
				checkTarget(t, target, env, round)
			}
		})
	}
}

// checkTarget runs the whole check and compares every step's verdict and
// findings. Where all that is amiss is that steps were left open, as happens on a
// busy machine, it is checked again, a few times.
func checkTarget(t *testing.T, target realServer, env map[string]string, round int) {
	t.Helper()
	for try := 1; ; try++ {
		code, out, said := runTarget(t, target, env, round)
		problems := compareSteps(t, out, target.steps)
		open := len(problems) > 0 && !slices.ContainsFunc(problems, func(p string) bool { return !strings.Contains(p, leftOpen) })
		if open && try < 4 {
			t.Logf("left open at the %d. try:\n%s", try, strings.Join(problems, "\n"))
			continue
		}
		if code != ExitBroken {
			t.Errorf("round %d: exit %d, want %d\n%s", round, code, ExitBroken, said)
		}
		if len(problems) > 0 {
			t.Fatalf("round %d:\n%s\n%s", round, strings.Join(problems, "\n"), out)
		}
		return
	}
}

// leftOpen is how compareSteps tells of a step that should have come to a verdict.
const leftOpen = ": inconclusive: want "

func runTarget(t *testing.T, target realServer, env map[string]string, round int) (code int, out, said []byte) {
	t.Helper()
	env["PORT"] = testneed.Port(t)
	env["EFFECTS_FILE"] = filepath.Join(t.TempDir(), "effects.txt")
	env["CACHE_DIR"] = t.TempDir()
	file := filepath.Join("..", "testdata", "targets", filepath.FromSlash(target.contract))
	code, out, said = idem(t, env, "verify", file, "--live", "--format", "json", "--seed", fmt.Sprint(round))
	logSteps(t, out)
	return code, out, said
}

// stepReport is what tests read of a report's step.
type stepReport struct {
	Step, Verdict string
	Reasons       []struct{ Text, Settle string }
	Findings      []struct{ Slug, ID, Follows, Expected, Actual string }
	Cases         []struct{ Name, Verdict, Text string }
	Notes         []string
	Evidence      struct {
		Effects *struct {
			CountedBy string `json:"counted_by"`
		}
		Measures []struct{ Name, Value string }
		Releases []struct{ Protocol string }
	}
}

// stepsOf reads the steps of a report on one operation.
func stepsOf(t *testing.T, out []byte) []stepReport {
	t.Helper()
	var r struct {
		Operations []struct{ Steps []stepReport }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("the report is not JSON: %v\n%s", err, out)
	}
	if len(r.Operations) != 1 {
		t.Fatalf("want one operation\n%s", out)
	}
	return r.Operations[0].Steps
}

// logSteps shows under -v what the check said, so that the test is the one
// command that docs/findings.md names.
func logSteps(t *testing.T, out []byte) {
	t.Helper()
	var said strings.Builder
	for _, s := range stepsOf(t, out) {
		fmt.Fprintf(&said, "\n%-12s %s", s.Step, s.Verdict)
		for _, f := range s.Findings {
			fmt.Fprintf(&said, "\n    %s: %s", f.Slug, f.Actual)
			if f.Follows != "" {
				fmt.Fprintf(&said, " (follows from %s)", f.Follows)
			}
		}
		for _, r := range s.Reasons {
			fmt.Fprintf(&said, "\n    %s", r.Text)
		}
	}
	t.Log(said.String())
}

// compareSteps tells where a report is not what is known of a server.
func compareSteps(t *testing.T, out []byte, want map[string]stepOutcome) (problems []string) {
	t.Helper()
	steps := stepsOf(t, out)
	roots := rootsOf(steps, want)
	reported := map[string]bool{}
	for _, s := range steps {
		reported[s.Step] = true
		if problem := compareStep(s, want, roots); problem != "" {
			problems = append(problems, fmt.Sprintf("%s: %s: %s: %+v %+v", s.Step, s.Verdict, problem, s.Reasons, s.Findings))
		}
	}
	for step := range want {
		if !reported[step] {
			problems = append(problems, step+": not in the report")
		}
	}
	return problems
}

func compareStep(s stepReport, want map[string]stepOutcome, roots map[string]bool) string {
	w, known := want[s.Step]
	switch {
	case !known:
		return "nothing is known of this step"
	case s.Verdict == "pass" && w.chance:
		return ""
	case s.Verdict != w.verdict:
		return "want " + w.verdict
	}
	seen := map[string]bool{}
	for _, f := range s.Findings {
		seen[f.Slug] = true
		if !slices.Contains(w.findings, f.Slug) && !slices.Contains(w.may, f.Slug) && !roots[f.Follows] {
			return "unexpected " + f.Slug
		}
	}
	for _, slug := range w.findings {
		if !seen[slug] {
			return "no finding " + slug
		}
	}
	return ""
}

// rootsOf gives the findings that others may follow from: those known to stand
// for themselves, and what follows from them.
func rootsOf(steps []stepReport, want map[string]stepOutcome) map[string]bool {
	roots := map[string]bool{}
	for _, w := range want {
		for _, slug := range append(slices.Clone(w.findings), w.may...) {
			roots[slug] = true
		}
	}
	for range steps { // a chain is no longer than the steps
		for _, s := range steps {
			for _, f := range s.Findings {
				if roots[f.Follows] {
					roots[f.Slug] = true
				}
			}
		}
	}
	return roots
}

// idem runs a command line in this process.
func idem(t *testing.T, env map[string]string, args ...string) (code int, out, said []byte) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	app := System()
	app.In, app.Out, app.Err = strings.NewReader(""), &stdout, &stderr
	app.OutTTY, app.ErrTTY = false, false
	app.LookupEnv = func(name string) (string, bool) {
		if v, ok := env[name]; ok {
			return v, true
		}
		return os.LookupEnv(name)
	}
	code = Main(app, args)
	return code, stdout.Bytes(), stderr.Bytes()
}
