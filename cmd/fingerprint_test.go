package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A reader that never gives anything is left behind when the command is
// interrupted.
func TestInterruptedWhileReading(t *testing.T) {
	reader, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	root := newRootCmd(&App{In: reader, Out: io.Discard, Err: io.Discard, LookupEnv: func(string) (string, bool) { return "", false }}, subcommand{})
	for _, args := range [][]string{{"canon"}, {"fingerprint", "-"}} {
		root.SetArgs(args)
		root.SetContext(ctx)
		var exit *exitCode
		if err := root.Execute(); !errors.As(err, &exit) || exit.code != ExitInterrupted {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// What cannot be written is no success.
func TestFingerprintBrokenOutput(t *testing.T) {
	for _, args := range [][]string{
		{"fingerprint", "-"}, {"fingerprint", "--format", "json", "-"}, {"fingerprint", "--request", "--path", "/"},
	} {
		var errs bytes.Buffer
		app := &App{In: strings.NewReader("{}"), Out: failingWriter{}, Err: &errs, LookupEnv: func(string) (string, bool) { return "", false }}
		if code := Main(app, args); code != ExitUsage || !strings.Contains(errs.String(), "standard output: cannot be written") {
			t.Errorf("%v: %d, %q", args, code, errs.String())
		}
	}
}

// A name that would break its line is quoted.
func TestFingerprintNamesStayOnTheirLine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file has such a name there")
	}
	file := filepath.Join(t.TempDir(), "a\nb.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := runHere(nil, nil, "fingerprint", "--with-names", file)
	if code != 0 || strings.Count(stdout, "\n") != 1 || !strings.HasSuffix(stdout, `a\nb.json"`+"\n") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
}

// People see a bounded list, programs all of it.
func TestDiffOfThousands(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, leaf := range []string{"1", "2"} {
		var b strings.Builder
		for range 1000 {
			b.WriteString(`,{"a":` + leaf + `}`)
		}
		file := filepath.Join(dir, leaf+".json")
		if err := os.WriteFile(file, []byte("["+b.String()[1:]+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	stdout, _, code := runHere(nil, nil, append([]string{"fingerprint", "--diff"}, files...)...)
	if code != ExitBroken || strings.Count(stdout, "\n") != maxToldDifferences+2 || !strings.Contains(stdout, "and 800 more") {
		t.Errorf("%d, %d lines", code, strings.Count(stdout, "\n"))
	}
	stdout, _, _ = runHere(nil, nil, append([]string{"fingerprint", "--diff", "--format", "json"}, files...)...)
	if n := strings.Count(stdout, `"change":"changed"`); n != 1000 {
		t.Errorf("%d differences", n)
	}
}
