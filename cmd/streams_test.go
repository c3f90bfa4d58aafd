package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
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
		root := newRootCmd(app, subcommand{})
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
			{"profile", "show", bad}, {"profile", "list", "--format", bad}, {"serve", "--fault", bad}, {"serve", "--style", bad}, {"serve", "--format", bad},
			{"serve", "--contract=" + bad}, {"serve", "--post", bad}, {"serve", "--replica", bad}, {"verify", "--self-test", "--store", bad},
			{"verify", "--self-test", "--fault", bad}, {"verify", "--self-test", "--style", bad}, {"verify", bad, "--live", "--plant", bad}, {"verify", bad, "--plant", bad},
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

// TestAPlantFilesNameCannotActOnTheTerminal, which stands among what was planted.
func TestAPlantFilesNameCannotActOnTheTerminal(t *testing.T) {
	const evil = "x\x1b[2J\u009b1m\u202e\nidem: all is well"
	for _, format := range []string{"human", "json"} {
		var out bytes.Buffer
		o := &verifyOptions{plant: evil, format: format}
		err := o.tellPlanted(&App{Out: &out}, &contract.Contract{File: evil}, &probe.Planted{Run: &trace.Run{ID: "0123456789abcdef"}, Records: []*probe.Record{{Operation: "create", Why: evil}}})
		if said := out.String(); err != nil || !strings.Contains(said, "x\\u001b[2J") || strings.Contains(said, "\nidem: all") || strings.ContainsFunc(said, unfit) {
			t.Errorf("%s: %v: %q", format, err, said)
		}
	}
}

// TestContentCannotActOnTheTerminal: nor can what payloads and recipes hold,
// on standard output.
func TestContentCannotActOnTheTerminal(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, text)
		return path
	}
	recipe := file("r.yaml", `{"idem": "recipe/v1", "namespace": "n", "operation": "o", "version": 1, "prefix": "p", "boundary": "One\u001b[2J each\u009b.",
 "identity": {"a\u202e\n": "/a\u202e\n", "b": "/b", "i": {"input": "i\u001b"}}, "key": {"kid": "k1", "env": "K"}, "example": {"payload": {}, "id": "x\u001b[2J"}}`)
	one := file("one.json", `{"a\u202e\n": "x\u007f\u009b2J\u2066", "b": "`+"\u009b\x7f\u202e"+`"}`)
	two := file("two.json", `{"a\u202e\n": "y\u009b", "c\u009b": 1, "b": "\u0085"}`)
	missing := file("missing.json", `{}`)
	env := map[string]string{"K": "idemkey1-k1-q3xd5nd7ik6qciwawbgyiwiswp6ypxr6n3vm3jj5fhrcwojzx6va-zic36va"}
	for _, args := range [][]string{
		{"derive", "-r", recipe, one, "--input", "i\x1b=1", "--explain"},
		{"derive", "-r", recipe, one, "--input", "i\x1b=1", "--explain", "--format", "json"},
		{"derive", "-r", recipe, one}, {"derive", "-r", recipe, missing, "--input", "i\x1b=1"}, {"derive", "-r", recipe, one, "--input", "i=1"},
		{"fingerprint", "--diff", one, two}, {"fingerprint", "--diff", one, two, "--format", "json"},
		{"fingerprint", "--diff", "-r", recipe, one, two}, {"fingerprint", "--diff", "-r", recipe, one, missing},
		{"recipe", "lint", recipe}, {"recipe", "lint", recipe, "--format", "json"},
	} {
		stdout, stderr, _ := runHere(env, nil, args...)
		if stdout+stderr == "" {
			t.Errorf("%q says nothing", args)
		}
		for _, r := range stdout + stderr {
			if unfit(r) {
				t.Errorf("%q shows %U: %q %q", args, r, stdout, stderr)
				break
			}
		}
		if strings.HasSuffix(args[len(args)-1], "json") && args[len(args)-2] == "--format" && !json.Valid([]byte(stdout)) {
			t.Errorf("%q: no JSON: %s", args, stdout)
		}
	}
}
