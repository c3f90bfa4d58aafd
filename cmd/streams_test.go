package cmd

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// limitedWriter takes so many bytes and then fails.
type limitedWriter struct {
	left int
	err  error
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	if len(b) > w.left {
		n := w.left
		w.left = 0
		return n, w.err
	}
	w.left -= len(b)
	return len(b), nil
}

// TestUnwrittenOutput: a write that fails late is noticed as one that fails at
// once, and beats what the command itself says.
func TestUnwrittenOutput(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
	for name, c := range map[string]struct {
		args []string
		room int
		err  error
		code int
		says string
	}{
		"at once":         {[]string{"--help"}, 0, full, ExitUsage, "idem: standard output: cannot be written: no space left on device\n"},
		"later":           {[]string{"explain", "--list"}, 200, full, ExitUsage, "idem: standard output: cannot be written: no space left on device\n"},
		"enough room":     {[]string{"explain", "crash"}, 1 << 20, full, ExitDone, ""},
		"nobody reads":    {[]string{"explain", "--list"}, 10, syscall.EPIPE, ExitUsage, ""},
		"nothing written": {[]string{"explain", "nope"}, 0, full, ExitUsage, "idem: no slug or step is called \"nope\"\n"},
	} {
		var said bytes.Buffer
		app := System()
		app.Out, app.Err = &limitedWriter{c.room, c.err}, &said
		code := Main(app, c.args)
		first, _, _ := strings.Cut(said.String(), "hint:")
		if code != c.code || first != c.says && !strings.Contains(c.says, first) {
			t.Errorf("%s: %d %q", name, code, said.String())
		}
		if c.says != "" && said.Len() == 0 {
			t.Errorf("%s: nothing said", name)
		}
	}
}

// TestWaitingForInputEnds: every command that waits for standard input ends at
// once, with the code for it, when it is interrupted.
func TestWaitingForInputEnds(t *testing.T) {
	for _, args := range [][]string{
		{"canon"}, {"canon", "-"}, {"fingerprint", "-"}, {"derive", "-r", "-", "nowhere.json"},
		{"recipe", "lint", "-"}, {"recipe", "lock", "-"}, {"recipe", "lock", "--check", "-"}, {"key", "check", "-"},
	} {
		in, end := io.Pipe()
		app := System()
		app.In, app.Out, app.Err = in, io.Discard, io.Discard
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt()
		root := newRootCmd(app)
		root.SetArgs(args)
		root.SetContext(ctx)
		if code := finish(app, root.Execute()); code != ExitInterrupted {
			t.Errorf("%v: %d", args, code)
		}
		end.Close()
	}
}

// TestNamesCannotActOnTheTerminal: whatever stands in a name, a message is one
// line of text.
func TestNamesCannotActOnTheTerminal(t *testing.T) {
	const evil = "x\x1b[2J\u009b1m\u202e\nidem: all is well"
	const key = "idemkey1-k1-ojxzsvrt6eccnv5or77bjzjngd3fqbj7j4atzrufbgmos3uyieya-3x4on6a"
	for _, bad := range []string{evil, key, "/tmp/" + key + "/x"} {
		for _, args := range [][]string{
			{"canon", bad}, {"canon", "--numbers", bad}, {"derive", "-r", bad}, {"derive", "-r", bad, bad}, {"fingerprint", bad},
			{"fingerprint", "--diff", bad, bad}, {"fingerprint", "--format", bad, "x"}, {"fingerprint", "-r", bad, "x"}, {"fingerprint", "--check", bad, "x"},
			{"fingerprint", "--request", "--path", "/", "--method", bad + " "}, {"fingerprint", "--request", "--path", "/", "--reorder", bad},
			{"fingerprint", "--request", "--path", "/", "--header", bad}, {"fingerprint", "--sensitive", bad, "x"},
			{"key", bad}, {"key", "new", bad}, {"key", "new", "--out", bad + "/x"}, {"key", "check", bad}, {"key", "check", "--key-file", bad},
			{"key", "check", "--key-fd", bad}, {"key", "check", "--key-env", bad}, {"key", "check", "-r", bad}, {"key", "subkey", "-r", bad}, {bad}, {"--" + bad},
			{"recipe", "lint", bad}, {"recipe", "lock", bad}, {"verify", bad}, {"report", bad}, {"explain", bad}, {"config", "show", "--config", bad},
		} {
			stdout, stderr, code := runHere(nil, strings.NewReader(""), args...)
			if code == ExitDone || stderr == "" {
				t.Errorf("%q: %d", args, code)
			}
			if strings.ContainsAny(stdout+stderr, "\x1b\u009b\u202e") || strings.Contains(stdout+stderr, "\nidem: all is well") || strings.Contains(stdout+stderr, key[8:30]) {
				t.Errorf("%q: %q %q", args, stdout, stderr)
			}
		}
	}
}
