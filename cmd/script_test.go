package cmd

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"sync"
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
	testscript.Main(inLanes{m}, map[string]func(){
		"idem": func() { os.Exit(Main(System(), os.Args[1:])) },
	})
}

type inLanes struct{ *testing.M }

func (m inLanes) Run() int {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		flag.Set("test.parallel", strconv.Itoa(lanes))
	}
	defer func() {
		for _, dir := range sharedFolders {
			os.RemoveAll(dir)
		}
	}()
	return m.M.Run()
}

// sharedFolders are for what several tests use, built once; they go with the
// last test.
var (
	sharedFolders []string
	sharing       sync.Mutex
)

func sharedFolder() (string, error) {
	dir, err := os.MkdirTemp("", "idem-test-")
	if err == nil {
		sharing.Lock()
		defer sharing.Unlock()
		sharedFolders = append(sharedFolders, dir)
	}
	return dir, err
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
			"exits":   exits,
			"settles": settles,
		},
	})
}

// settles runs a check until it passes and says what is looked for, a few times:
// "settles PATTERN idem verify --demo". A busy machine may let no copies overlap.
func settles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: settles PATTERN program [argument...]")
	}
	says, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for try := 1; ; try++ {
		err := ts.Exec(args[1], args[2:]...)
		out := ts.ReadFile("stdout")
		if err == nil && says.MatchString(out) {
			return
		}
		var exit *exec.ExitError
		if open := err == nil || errors.As(err, &exit) && exit.ExitCode() == ExitInconclusive; !open || try == 6 {
			ts.Fatalf("%v, and nothing matches %s at the %d. try", err, args[0], try)
		}
		if i := slices.Index(args, "--trace"); i >= 0 {
			ts.Check(os.Remove(ts.MkAbs(args[i+1]))) // a trace never replaces a file
		}
	}
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
