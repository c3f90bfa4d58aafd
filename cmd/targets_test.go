package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// targetRounds repeats the check of the real servers: ten in a row is the bar,
// one in the usual test run.
var targetRounds = flag.Int("target-rounds", 1, "how often each real server is checked")

// stepOutcome is what the check must say of one step: its verdict and, for a
// fail, every finding with the slug that it follows from, "" for none.
type stepOutcome struct {
	verdict  string
	findings map[string]string
}

func passes() stepOutcome { return stepOutcome{verdict: "pass"} }

func fails(findings map[string]string) stepOutcome { return stepOutcome{"fail", findings} }

// alone is a finding that follows from no other.
func alone(slug string) stepOutcome { return fails(map[string]string{slug: ""}) }

const ranTwice = "duplicate/effect-ran-twice"

// TestRealServers lets the whole check run against servers that others wrote.
// What it must say of each was found out by hand, from their answers and their
// source (testdata/targets/README.md).
func TestRealServers(t *testing.T) {
	testneed.Long(t, "real servers take half a minute each")
	follows := func(slug string) stepOutcome { return fails(map[string]string{slug: ranTwice}) }
	t.Run("fiber", func(t *testing.T) {
		env := map[string]string{"FIBER": buildGo(t, "fiber")}
		checkTarget(t, "fiber/contract.yaml", env, map[string]stepOutcome{
			"duplicate": passes(), "concurrent": passes(), "reorder": passes(), "expiry": passes(),
			"conflict": alone("conflict/first-result-returned"),
			"crash":    alone("crash/effect-ran-twice"),
		})
	})
	t.Run("express plain", func(t *testing.T) {
		env := map[string]string{"EXPRESS": installExpress(t)}
		checkTarget(t, "express/plain.contract.yaml", env, map[string]stepOutcome{
			"duplicate":  alone(ranTwice),
			"concurrent": {verdict: "fail", findings: map[string]string{"concurrent/effect-ran-twice": "?"}},
			"conflict":   follows("conflict/effect-ran-twice"),
			"reorder":    follows("reorder/effect-ran-twice"),
			"crash":      follows("crash/effect-ran-twice"),
			"expiry": fails(map[string]string{"expiry/never-forgets": "", "expiry/forgot-early": ranTwice,
				"expiry/ran-more-than-once": ranTwice}),
		})
	})
	t.Run("express is-hit", func(t *testing.T) {
		env := map[string]string{"EXPRESS": installExpress(t)}
		checkTarget(t, "express/is-hit.contract.yaml", env, map[string]stepOutcome{
			"duplicate": passes(), "concurrent": passes(), "conflict": passes(), "reorder": passes(),
			"crash":  alone("crash/effect-ran-twice"),
			"expiry": alone("expiry/never-forgets"),
		})
	})
}

// buildGo builds a Go program under testdata/targets and gives its path.
func buildGo(t *testing.T, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	if os.PathSeparator == '\\' {
		out += ".exe"
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", out, ".")
	build.Dir = filepath.Join("..", "testdata", "targets", name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, said)
	}
	return out
}

// installExpress installs the Node target into a folder of its own.
func installExpress(t *testing.T) string {
	t.Helper()
	testneed.Node(t)
	dir := filepath.Join(t.TempDir(), "express")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "targets", "express"))); err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(filepath.Join(dir, "node_modules"))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if said, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, said)
	}
	return dir
}

// checkTarget runs the whole check and compares every step's verdict and
// findings.
func checkTarget(t *testing.T, contract string, env map[string]string, want map[string]stepOutcome) {
	t.Helper()
	env["COUNT"] = buildGo(t, "count")
	for round := 1; round <= *targetRounds; round++ {
		env["PORT"] = freePort(t)
		env["EFFECTS_FILE"] = filepath.Join(t.TempDir(), "effects.txt")
		file := filepath.Join("..", "testdata", "targets", filepath.FromSlash(contract))
		code, out, said := idem(t, env, "verify", file, "--live", "--format", "json", "--seed", fmt.Sprint(round))
		if code != ExitBroken {
			t.Errorf("round %d: exit %d, want %d\n%s", round, code, ExitBroken, said)
		}
		if problems := compareSteps(t, out, want); len(problems) > 0 {
			t.Fatalf("round %d:\n%s\n%s", round, strings.Join(problems, "\n"), out)
		}
	}
}

func compareSteps(t *testing.T, out []byte, want map[string]stepOutcome) (problems []string) {
	t.Helper()
	var r struct {
		Operations []struct {
			Steps []struct {
				Step, Verdict string
				Reasons       []struct{ Text string }
				Findings      []struct{ Slug, Follows string }
			}
		}
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("the report is not JSON: %v\n%s", err, out)
	}
	if len(r.Operations) != 1 || len(r.Operations[0].Steps) != len(want) {
		t.Fatalf("want one operation with %d steps\n%s", len(want), out)
	}
	for _, s := range r.Operations[0].Steps {
		w := want[s.Step]
		if s.Verdict != w.verdict {
			problems = append(problems, fmt.Sprintf("%s: %s, want %s: %v", s.Step, s.Verdict, w.verdict, s.Reasons))
		}
		seen := map[string]bool{}
		for _, f := range s.Findings {
			follows, known := w.findings[f.Slug]
			seen[f.Slug] = true
			if !known || follows != "?" && follows != f.Follows {
				problems = append(problems, fmt.Sprintf("%s: finding %s follows %q, want %q", s.Step, f.Slug, f.Follows, follows))
			}
		}
		for slug, follows := range w.findings {
			if !seen[slug] && (follows == "" || follows == "?") {
				problems = append(problems, fmt.Sprintf("%s: no finding %s", s.Step, slug))
			}
		}
	}
	return problems
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
