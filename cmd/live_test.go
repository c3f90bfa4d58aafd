package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/testneed"
)

// builtIdem is the program itself, built once: the demo and the contracts of
// these tests start it as a process of its own, as users do.
var builtIdem struct {
	once sync.Once
	path string
	err  error
}

func buildIdem(t *testing.T) string {
	t.Helper()
	builtIdem.once.Do(func() {
		dir, err := sharedFolder()
		if err != nil {
			builtIdem.err = err
			return
		}
		builtIdem.path = filepath.Join(dir, "idem")
		if runtime.GOOS == "windows" {
			builtIdem.path += ".exe"
		}
		build := exec.Command("go", "build", "-buildvcs=false", "-o", builtIdem.path, "..")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := build.CombinedOutput(); err != nil {
			builtIdem.err = fmt.Errorf("%w\n%s", err, said)
		}
	})
	if builtIdem.err != nil {
		t.Fatalf("build idem: %v", builtIdem.err)
	}
	return builtIdem.path
}

// ran is how a process of idem ended and what it wrote.
type ran struct {
	code     int
	out, err string
}

// runIdem runs the built program in a folder with further variables.
func runIdem(t *testing.T, dir string, env []string, args ...string) ran {
	t.Helper()
	return runIdemWithin(t, 3*time.Minute, dir, env, args...)
}

// runIdemWithin is runIdem with another bound.
func runIdemWithin(t *testing.T, within time.Duration, dir string, env []string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	var out, said bytes.Buffer
	c := exec.CommandContext(ctx, buildIdem(t), args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), env...), &out, &said
	err := c.Run()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return ran{c.ProcessState.ExitCode(), out.String(), said.String()}
}

// settledRun is runIdem for a check that is to come to a verdict. What a busy
// machine left open is checked again, a few times; whatever else a check says it
// says once.
func settledRun(t *testing.T, dir string, env []string, args ...string) ran {
	t.Helper()
	return settledRunWithin(t, 3*time.Minute, dir, env, args...)
}

// settledRunWithin is settledRun with another bound for each check.
func settledRunWithin(t *testing.T, within time.Duration, dir string, env []string, args ...string) ran {
	t.Helper()
	for try := 1; ; try++ {
		r := runIdemWithin(t, within, dir, env, args...)
		if r.code != ExitInconclusive || try == 4 {
			return r
		}
		t.Logf("left open at the %d. try: %s\n%s", try, strings.Join(args, " "), openIn(r.out))
		if i := slices.Index(args, "--trace"); i >= 0 {
			os.Remove(inFolder(dir, args[i+1])) // a trace never replaces a file
		}
	}
}

func inFolder(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// openIn gives the steps of a report that are inconclusive, and why.
func openIn(out string) string {
	var report liveReport
	if json.Unmarshal([]byte(out), &report) != nil {
		return out
	}
	var open strings.Builder
	for _, o := range report.Operations {
		for _, s := range o.Steps {
			if s.Verdict == "inconclusive" {
				fmt.Fprintf(&open, "%s: %v\n", s.Step, s.Reasons)
			}
		}
	}
	return open.String()
}

// liveReport is what these tests read of a JSON report.
type liveReport struct {
	Verdict    string
	Operations []struct{ Steps []stepReport }
}

// steps reads the steps of a report on one operation.
func (r ran) steps(t *testing.T) []stepReport {
	t.Helper()
	if !json.Valid([]byte(r.out)) {
		t.Fatalf("exit %d, no JSON\n%s\n%s", r.code, r.out, r.err)
	}
	return stepsOf(t, []byte(r.out))
}

// wantAllPass wants every one of the six steps to pass, by counted effects.
func wantAllPass(t *testing.T, r ran, countedBy string) {
	t.Helper()
	var report liveReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("exit %d, no JSON: %v\n%s\n%s", r.code, err, r.out, r.err)
	}
	var steps []string
	for _, s := range report.Operations[0].Steps {
		steps = append(steps, s.Step)
	}
	six := contract.CoreSteps[:]
	if r.code != ExitDone || report.Verdict != "pass" || len(steps) < len(six) || !slices.Equal(steps[:len(six)], six) {
		t.Errorf("exit %d, verdict %s, steps %v\n%s", r.code, report.Verdict, steps, r.err)
	}
	landed := false
	for _, s := range report.Operations[0].Steps {
		if s.Verdict != "pass" {
			t.Errorf("%s: %s %v", s.Step, s.Verdict, s.Reasons)
		}
		if e := s.Evidence.Effects; e != nil && e.CountedBy != countedBy {
			t.Errorf("%s: counted by %s, want %s", s.Step, e.CountedBy, countedBy)
		}
		for _, m := range s.Evidence.Measures {
			landed = landed || m.Name == "kills" && !strings.HasSuffix(m.Value, ": 0")
		}
	}
	if !landed {
		t.Error("no kill fell between an effect and its answer")
	}
}

func TestDemoPassesAllSixSteps(t *testing.T) {
	testneed.Long(t, "the demo takes ten seconds")
	t.Parallel()
	r := settledRun(t, t.TempDir(), nil, "verify", "--demo", "--format", "json")
	wantAllPass(t, r, "http")
}

// referenceContract writes the demo's contract for a reference service with
// another store and another counter.
func referenceContract(t *testing.T, dir, store, effects string) (file string, env []string) {
	t.Helper()
	text := string(demoContract)
	for _, swap := range [][2]string{
		{"--store, \"${IDEM_DEMO_STORE}\"", store},
		{"      http: {method: GET, path: \"/v1/effects?order_id={fresh:/order_id}\", count: \"$.data[*]\"}", effects},
	} {
		if !strings.Contains(text, swap[0]) {
			t.Fatalf("the demo's contract no longer has %s", swap[0])
		}
		text = strings.Replace(text, swap[0], swap[1], 1)
	}
	file = filepath.Join(dir, "contract.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, []string{"IDEM_DEMO_PROGRAM=" + buildIdem(t), "IDEM_DEMO_ADDRESS=127.0.0.1:" + testneed.Port(t),
		"IDEM_DEMO_TOKEN=tok-" + strings.ToLower(t.Name())}
}

func TestReferenceServicePassesOnPostgres(t *testing.T) {
	testneed.Long(t, "the check takes ten seconds")
	t.Parallel()
	dsn := testneed.Postgres(t)
	file, env := referenceContract(t, t.TempDir(), "--store-env, CHARGES_DSN",
		"      sql: {dsn_env: CHARGES_DSN, query: \"SELECT count(*) FROM effects WHERE order_id = $1\", args: [/order_id]}")
	r := settledRun(t, t.TempDir(), append(env, "CHARGES_DSN="+dsn), "verify", file, "--live", "--format", "json")
	wantAllPass(t, r, "sql")
}

func TestReferenceServicePassesCountedInItsSQLiteFile(t *testing.T) {
	testneed.Long(t, "the check takes ten seconds")
	t.Parallel()
	store := filepath.ToSlash(filepath.Join(t.TempDir(), "charges.db"))
	file, env := referenceContract(t, t.TempDir(), "--store, \"sqlite:"+store+"\"",
		"      sql: {dsn_env: CHARGES_DSN, query: \"SELECT count(*) FROM effects WHERE order_id = ?\", args: [/order_id]}")
	r := settledRun(t, t.TempDir(), append(env, "CHARGES_DSN=sqlite:"+store), "verify", file, "--live", "--format", "json")
	wantAllPass(t, r, "sql")
}

// TestDryRunTouchesNothing watches a dry run's system calls: no socket, no
// other program, and the same bytes twice.
func TestDryRunTouchesNothing(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if runtime.GOOS != "linux" || err != nil {
		testneed.Missing(t, "strace, which shows the system calls of a dry run")
	}
	file, _ := referenceContract(t, t.TempDir(), "--store, \"sqlite:x.db\"", "      http: {method: GET, path: \"/v1/effects?order_id={fresh:/order_id}\", count: \"$.data[*]\"}")
	log := filepath.Join(t.TempDir(), "strace.log")
	program := buildIdem(t)
	args := []string{"verify", file, "--format", "json"}
	c := exec.Command(strace, append([]string{"-f", "-qq", "-o", log, "-e", "trace=%network,%process", program}, args...)...)
	first, err := c.Output()
	if err != nil {
		t.Fatalf("strace: %v", err)
	}
	calls, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	execs := 0
	for _, line := range strings.Split(string(calls), "\n") {
		for _, bad := range []string{"socket(", "connect(", "bind(", "sendto(", "vfork("} {
			if strings.Contains(line, bad) {
				t.Errorf("a dry run called %s", line)
			}
		}
		execs += strings.Count(line, "execve(")
	}
	if execs != 1 {
		t.Errorf("%d programs were started, want the dry run's own alone\n%s", execs, calls)
	}
	if again := runIdem(t, t.TempDir(), nil, args...); again.out != string(first) || again.code != 0 {
		t.Errorf("exit %d, and the second dry run's bytes differ: %v", again.code, again.out != string(first))
	}
}

// TestInterruptedRunIsJudged interrupts a run as a person does: what was
// recorded is kept, judged and reported, and nothing is left running.
func TestInterruptedRunIsJudged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes are interrupted by a signal, which Windows has not")
	}
	dir := t.TempDir()
	c := exec.Command(buildIdem(t), "verify", "--demo", "--format", "json", "--trace", filepath.Join(dir, "trace.ndjson"))
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitForLines(t, filepath.Join(dir, "trace.ndjson"), 300)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != ExitInterrupted {
		t.Errorf("exit %d, want %d", code, ExitInterrupted)
	}
	var report liveReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("no report: %v\n%s", err, out.Bytes())
	}
	for _, s := range report.Operations[0].Steps {
		if s.Step == "expiry" && s.Verdict != "inconclusive" {
			t.Errorf("expiry cannot have ended: %s", s.Verdict)
		}
		if s.Verdict == "fail" {
			t.Errorf("%s: an interrupted run accuses", s.Step)
		}
	}
}

// waitForLines waits until a file has so many lines.
func waitForLines(t *testing.T, file string, lines int) {
	t.Helper()
	for range 600 {
		b, _ := os.ReadFile(file)
		if bytes.Count(b, []byte("\n")) >= lines {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s has not %d lines after 30 s", file, lines)
}
