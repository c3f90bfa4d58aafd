package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestColumns: COLUMNS beats the terminal's size, both have bounds, and a pipe
// asks neither.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		name     string
		columns  string
		size     int
		terminal bool
		want     int
	}{
		{"terminal", "", 80, true, 80},
		{"narrow terminal", "", 20, true, 60},
		{"wide terminal", "", 400, true, 120},
		{"terminal of no size", "", 0, true, 0},
		{"COLUMNS", "100", 80, true, 100},
		{"narrow COLUMNS", "1", 80, true, 60},
		{"wide COLUMNS", "999999", 80, true, 120},
		{"COLUMNS of nothing", "0", 80, true, 80},
		{"negative COLUMNS", "-90", 80, true, 80},
		{"COLUMNS that is no number", "wide", 80, true, 80},
		{"COLUMNS without a size", "90", 0, true, 90},
		{"pipe", "", 80, false, 0},
		{"pipe with COLUMNS", "72", 80, false, 0},
	} {
		app := settingsWorld(map[string]string{"COLUMNS": c.columns}, c.terminal)
		app.Columns = func() int { return c.size }
		if got := app.columns(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := settingsWorld(nil, true).columns(); got != 0 {
		t.Errorf("nobody knows the size: %d", got)
	}
}

func TestAFileHasNoColumns(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := terminalColumns(f); got != 0 {
		t.Errorf("a file is %d columns wide", got)
	}
}

// onTerminal runs a command line as on a terminal, or in a pipe where columns
// is 0.
func onTerminal(t *testing.T, columns int, args ...string) (code int, out string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	app := System()
	app.In, app.Out, app.Err = strings.NewReader(""), &stdout, &stderr
	app.OutTTY, app.ErrTTY = columns > 0, false
	app.LookupEnv = func(string) (string, bool) { return "", false }
	app.Columns = func() int { return columns }
	code = Main(app, args)
	if code == ExitUsage {
		t.Fatalf("%q: %s", args, stderr.String())
	}
	return code, stdout.String()
}

// brokenTrace is a recorded run that finds something.
const brokenTrace = "../internal/probe/testdata/traces/duplicate-twice.ndjson"

// TestTerminalsAndFiles: a terminal gets its width, a pipe and a file always
// the same bytes.
func TestTerminalsAndFiles(t *testing.T) {
	lines := func(out string) (n int) {
		for line := range strings.Lines(out) {
			if !strings.HasPrefix(line, "    idem ") { // to be copied
				n = max(n, utf8.RuneCountInString(line)-1)
			}
		}
		return n
	}
	dir := t.TempDir()
	_, pipe := onTerminal(t, 0, "report", brokenTrace, "--color", "never")
	for _, columns := range []int{60, 80, 120} {
		file := filepath.Join(dir, "report.txt")
		code, out := onTerminal(t, columns, "report", brokenTrace, "--color", "never", "--report", "human="+file)
		if n := lines(out); code != ExitBroken || n > columns || n < columns-20 {
			t.Errorf("%d columns: exit %d, a line of %d\n%s", columns, code, n, out)
		}
		kept, err := os.ReadFile(file)
		if err != nil || string(kept) != pipe {
			t.Errorf("%d columns: %v, the file's bytes are not the pipe's\n%s", columns, err, kept)
		}
	}
	file := filepath.Join(dir, "colour.txt")
	_, out := onTerminal(t, 80, "report", brokenTrace, "--color", "always", "--report", "human="+file)
	if kept, err := os.ReadFile(file); err != nil || !strings.Contains(out, "\x1b[") || strings.Contains(string(kept), "\x1b[") {
		t.Errorf("%v: colours belong on standard output alone\n%s", err, kept)
	}
}

func TestExplainFitsTheTerminal(t *testing.T) {
	for _, args := range [][]string{{"explain", "--list"}, {"explain", "crash"}, {"explain", "crash/effect-ran-twice"}} {
		for _, columns := range []int{60, 80} {
			_, out := onTerminal(t, columns, args...)
			for line := range strings.Lines(out) {
				if n := utf8.RuneCountInString(line) - 1; n > columns {
					t.Errorf("%q at %d columns: %q", args, columns, line)
				}
			}
		}
		_, piped := onTerminal(t, 0, args...)
		_, wide := onTerminal(t, 120, args...)
		if strings.Join(strings.Fields(piped), " ") != strings.Join(strings.Fields(wide), " ") {
			t.Errorf("%q: a terminal is told something else", args)
		}
	}
	_, list := onTerminal(t, 0, "explain", "--list")
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, " ") {
			t.Errorf("a line that no search finds whole: %q", line)
		}
	}
}

func TestReportScript(t *testing.T) {
	code, out := onTerminal(t, 0, "report", brokenTrace, "--script", "duplicate/effect-ran-twice")
	if code != ExitDone || !strings.HasPrefix(out, "#!/bin/sh\n") || strings.Count(out, "\nsend ") != 3 {
		t.Errorf("exit %d\n%s", code, out)
	}
	code, nothing, said := idem(t, nil, "report", brokenTrace, "--script", "duplicate/refused")
	if code != ExitUsage || len(nothing) > 0 || !strings.Contains(string(said), "hint: --script duplicate/effect-ran-twice") {
		t.Errorf("exit %d, %s%s", code, nothing, said)
	}
}
