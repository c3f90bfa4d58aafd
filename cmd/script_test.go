package cmd

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// updateScripts writes what the commands print into the scripts, for a change
// that is meant: go test ./cmd -run TestScripts -update, and then look at the
// difference.
var updateScripts = flag.Bool("update", false, "update the files of testdata/script")

// TestMain lets the scripts run idem as a process of its own, from this very
// test binary.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"idem": func() { os.Exit(Main(System(), os.Args[1:])) },
	})
}

// TestScripts runs testdata/script/*.txtar: each is a short session with its
// files, and what every command must say and how it must end.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *updateScripts,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
	})
}

// exits runs a program and wants one exit code: "exits 2 idem canon bad.json".
// stdout, stderr and cmp then look at what it wrote, as after exec.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program [argument...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, not %d", got, want)
	}
}
