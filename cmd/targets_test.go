package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net"
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
// findings.
func checkTarget(t *testing.T, target realServer, env map[string]string, round int) {
	t.Helper()
	env["PORT"] = freePort(t)
	env["EFFECTS_FILE"] = filepath.Join(t.TempDir(), "effects.txt")
	env["CACHE_DIR"] = t.TempDir()
	file := filepath.Join("..", "testdata", "targets", filepath.FromSlash(target.contract))
	code, out, said := idem(t, env, "verify", file, "--live", "--format", "json", "--seed", fmt.Sprint(round))
	if code != ExitBroken {
		t.Errorf("round %d: exit %d, want %d\n%s", round, code, ExitBroken, said)
	}
	logSteps(t, out)
	if problems := compareSteps(t, out, target.steps); len(problems) > 0 {
		t.Fatalf("round %d:\n%s\n%s", round, strings.Join(problems, "\n"), out)
	}
}

// stepReport is the part of a report's step that is compared.
type stepReport struct {
	Step, Verdict string
	Reasons       []struct{ Text string }
	Findings      []struct{ Slug, Follows, Actual string }
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

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
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
