package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/selftest"
	"github.com/idem-toolkit/idem/internal/testneed"
	"github.com/idem-toolkit/idem/internal/zoo"
)

// selfTestReport is what these tests read of a self-test's JSON.
type selfTestReport struct {
	Idem     string
	Exit     int
	HTTP     string
	Matrices []struct {
		Store  string
		Took   float64 `json:"took_s"`
		Totals struct{ Faults, Caught, Styles, Accused int }

		LeftOut []struct{ Name, Why string } `json:"left_out"`

		Rows []struct {
			Name, Kind string
			OK         bool
			Wrong      []string
			Runs       []struct {
				Steps []struct{ Step, Verdict string }
			}
		}
	}
}

// selfTestOf runs a self-test in the program itself, as a user does, with
// temporary files in a folder that must be empty afterwards.
func selfTestOf(t *testing.T, env []string, args ...string) (selfTestReport, ran) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("timing of kills has not been tried there")
	}
	scratch := t.TempDir()
	r := runIdemWithin(t, 15*time.Minute, t.TempDir(), append(env, "TMPDIR="+scratch),
		append([]string{"verify", "--self-test", "--format", "json"}, args...)...)
	var report selfTestReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("exit %d, no JSON: %v\n%s", r.code, err, r.err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	return report, r
}

// wantSound wants every fault caught by a step named for it, and no style
// accused or left open.
func wantSound(t *testing.T, report selfTestReport, r ran) {
	t.Helper()
	for _, m := range report.Matrices {
		t.Logf("%s: %d of %d faults caught, %d of %d styles accused, %.0f s", m.Store, m.Totals.Caught, m.Totals.Faults,
			m.Totals.Accused, m.Totals.Styles, m.Took)
		for _, row := range m.Rows {
			for _, why := range row.Wrong {
				t.Errorf("%s: %s %s: %s", m.Store, row.Kind, row.Name, why)
			}
			if row.OK != (len(row.Wrong) == 0) {
				t.Errorf("%s: %s is ok: %v, but %v", m.Store, row.Name, row.OK, row.Wrong)
			}
		}
	}
	if !t.Failed() && (r.code != ExitDone || report.Exit != ExitDone) {
		t.Errorf("exit %d, and %d in the report: %s", r.code, report.Exit, r.err)
	}
}

// wholeSelfTest has TestSelfTest check everything, which takes minutes and a
// machine for itself; .ci/run selftest does.
var wholeSelfTest = flag.Bool("self-test", false, "check every fault and style on every store")

// TestSelfTest holds the check to what is known of it: every fault is caught by
// a step that is named for it, and nobody who is right is accused. Without the
// flag it tries one fault of each step, on a file.
func TestSelfTest(t *testing.T) {
	testneed.Long(t, "a self-test takes a minute")
	if !*wholeSelfTest {
		report, r := selfTestOf(t, nil, "--jobs", "6", "--fault", strings.Join(oneFaultOfEachStep(), ","), "--style", "reference,conflict-400")
		wantSound(t, report, r)
		return
	}
	for _, store := range zoo.Stores() {
		t.Run(string(store), func(t *testing.T) {
			args, env, want := []string{"--store", string(store)}, []string(nil), rowsOn(store)
			if store == zoo.Memory {
				// Over HTTP/2: all but the one that HTTP/1.1 alone shows.
				args, want = append(args, "--http", "2"), want-1
			}
			if store == zoo.Postgres {
				args, env = append(args, "--store-env", "SELF_TEST_DSN"), []string{"SELF_TEST_DSN=" + testneed.Postgres(t)}
			}
			report, r := selfTestOf(t, env, args...)
			wantSound(t, report, r)
			if len(report.Matrices) != 1 || report.Idem != selftest.Schema {
				t.Fatalf("%d matrices, schema %q", len(report.Matrices), report.Idem)
			}
			if rows := len(report.Matrices[0].Rows); rows != want {
				t.Errorf("%d rows, want %d", rows, want)
			}
		})
	}
}

// oneFaultOfEachStep gives the first fault that is named for each step alone.
func oneFaultOfEachStep() []string {
	var names []string
	seen := map[string]bool{}
	for _, v := range zoo.Faults() {
		if step := v.Caught[0]; len(v.Caught) == 1 && !seen[step] {
			seen[step] = true
			names = append(names, v.Name)
		}
	}
	return names
}

// rowsOn counts the rows of a whole matrix.
func rowsOn(store zoo.Store) int {
	n := 1 // the reference service as it is
	for _, v := range slices.Concat(zoo.Faults(), zoo.Styles()) {
		if store != zoo.Memory || !v.Lasting {
			n++
		}
	}
	return n
}

// A self-test that could not fail would be worth nothing: held to steps that
// do not see a fault, it must say that the fault went through.
func TestSelfTestSaysWhatWentThrough(t *testing.T) {
	testneed.Long(t, "a check takes ten seconds")
	var seen []zoo.Variant
	for _, v := range zoo.Faults() {
		if v.Name == "check-then-act" {
			v.Caught = []string{"conflict"} // which does not see it
			seen = append(seen, v)
		}
	}
	app := &App{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, LookupEnv: os.LookupEnv, Environ: os.Environ, Now: time.Now, Quiet: true}
	o := &verifyOptions{seed: 1, selection: probe.Selection{Only: []string{"conflict"}}}
	o.selfTest = selfTestOptions{stores: []string{"file"}, jobs: 1, repeat: 1}
	st := &selfTest{app: app, verify: o, program: buildIdem(t)}
	st.plan(zoo.File, seen)
	report := st.run(t.Context())
	if len(seen) != 1 || report.Exit() != ExitBroken {
		t.Fatalf("exit %d over %d rows", report.Exit(), len(seen))
	}
	if wrong := report.Matrices[0].Rows[0].Wrong(); len(wrong) != 1 || wrong[0] != "not caught by conflict: the fault passed" {
		t.Errorf("wrong: %v", wrong)
	}
}

// One that is interrupted ends soon, says so, and leaves nothing behind.
func TestInterruptedSelfTestLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes are interrupted by a signal, which Windows has not")
	}
	scratch := t.TempDir()
	c := exec.Command(buildIdem(t), "verify", "--self-test", "--fault", "check-then-act,ignores-body", "--style", "conflict-409", "--format", "json")
	c.Env = append(os.Environ(), "TMPDIR="+scratch)
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stores := func() int {
		found, _ := filepath.Glob(filepath.Join(scratch, "*", "charges.db"))
		return len(found)
	}
	for i := 0; stores() < 3; i++ {
		if i > 600 {
			t.Fatal("no service has begun after 30 s")
		}
		time.Sleep(50 * time.Millisecond)
	}
	children := childrenOf(t, c.Process.Pid)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != ExitInterrupted {
		t.Errorf("exit %d, want %d", code, ExitInterrupted)
	}
	var report struct{ Interrupted bool }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || !report.Interrupted {
		t.Errorf("%v: %s", err, out.Bytes())
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	for _, pid := range children {
		if state, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline")); err == nil && strings.Contains(string(state), "serve") {
			t.Errorf("process %s is still there: %q", pid, state)
		}
	}
}

// childrenOf gives the process ids of a process's children, where the system
// tells: none elsewhere.
func childrenOf(t *testing.T, pid int) []string {
	t.Helper()
	var out []string
	files, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		out = append(out, strings.Fields(string(text))...)
	}
	if runtime.GOOS == "linux" && len(files) > 0 && len(out) == 0 {
		t.Error("no child was seen")
	}
	return out
}
