//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	c := role("number", "TEST_SAYS", "42")
	c.Mask = func(s string) string { return strings.ReplaceAll(s, "s3cr3t", "«auth»") }
	out, err := Run(context.Background(), c, 20*time.Second)
	if err != nil || string(out.Stdout) != "42\n" || out.More || out.Stderr != "token «auth»\n" || out.Exit != (Exit{}) {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = Run(context.Background(), role("quit"), 20*time.Second)
	if err != nil || out.Exit.String() != "exit 3" {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = Run(context.Background(), role("chatter"), 20*time.Second)
	if err != nil || len(out.Stdout) != MaxOutput || !out.More {
		t.Errorf("%d bytes, more %v, %v", len(out.Stdout), out.More, err)
	}
	if _, err := Run(context.Background(), Command{Argv: []string{"./none"}}, time.Second); err == nil {
		t.Error("ran a program that is not there")
	}
}

func TestRunEnds(t *testing.T) {
	if _, err := Run(context.Background(), role("stubborn"), 100*time.Millisecond); err == nil || !strings.Contains(err.Error(), "100ms") {
		t.Errorf("too late: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := Run(ctx, role("sleep"), time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// A child that holds the output open neither delays the end nor survives it.
	began := time.Now()
	out, err := Run(context.Background(), role("parent", "TEST_CHILD", "stubborn", "TEST_LIFE", "10ms"), time.Minute)
	if err != nil || !strings.Contains(string(out.Stdout), "child ") || time.Since(began) > 30*time.Second {
		t.Errorf("with a child: %+v, %v after %s", out, err, time.Since(began))
	}
}

// TestRunGivesInput: all of it, and nobody waits for a program that reads none
// of it, or for a child that holds it open.
func TestRunGivesInput(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1<<16)
	shell := func(script, input string) Command {
		return Command{Argv: []string{"sh", "-c", script}, Environ: os.Environ(), Input: []byte(input)}
	}
	for name, c := range map[string]struct{ script, input, want string }{
		"read":         {"wc -c | tr -d ' '", long, "1048576\n"},
		"empty":        {"wc -c | tr -d ' '", "", "0\n"},
		"not read":     {"echo done", long, "done\n"},
		"held by none": {"sleep 60 & echo done", long, "done\n"},
		"read in part": {"head -c 4", long, "0123"},
	} {
		out, err := Run(context.Background(), shell(c.script, c.input), 20*time.Second)
		if err != nil || string(out.Stdout) != c.want || out.Exit != (Exit{}) {
			t.Errorf("%s: %q %v, %v", name, out.Stdout, out.Exit, err)
		}
	}
	if _, err := Run(context.Background(), shell("sleep 60", long), 100*time.Millisecond); err == nil || !strings.Contains(err.Error(), "100ms") {
		t.Errorf("too late: %v", err)
	}
}

func TestHook(t *testing.T) {
	c := role("environ")
	if err := RunHook(context.Background(), "advance", c, 60, 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if len(c.Env) != 1 {
		t.Error("the caller's command was changed")
	}
	seconds := Command{Argv: []string{"sh", "-c", `test "$IDEM_SECONDS" = 60`}, Environ: os.Environ()}
	if err := RunHook(context.Background(), "advance", seconds, 60, 20*time.Second); err != nil {
		t.Error(err)
	}
	seconds.Argv[2] = `test -z "$IDEM_SECONDS"`
	if err := RunHook(context.Background(), "kill", seconds, 0, 20*time.Second); err != nil {
		t.Error(err)
	}
}

func TestHookFailures(t *testing.T) {
	mask := func(s string) string { return strings.ReplaceAll(s, "s3cr3t", "«auth»") }
	shell := func(script string) Command {
		return Command{Argv: []string{"sh", "-c", script}, Environ: os.Environ(), Mask: mask}
	}
	for name, c := range map[string]struct {
		command Command
		within  time.Duration
		want    []string
	}{
		"exit code":   {shell("echo cannot reach s3cr3t >&2; exit 4"), time.Minute, []string{"the kill hook ended with exit 4", "cannot reach «auth»"}},
		"signal":      {shell("kill -9 $$"), time.Minute, []string{"killed"}},
		"too slow":    {shell("echo waiting; sleep 60"), 100 * time.Millisecond, []string{"did not end within 100ms", "waiting"}},
		"too talking": {shell("exec yes"), time.Minute, []string{"printed more than 16 MiB"}},
		"not there":   {Command{Argv: []string{"./s3cr3tly-absent"}}, time.Minute, []string{"kill hook", "cannot start"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := RunHook(context.Background(), "kill", c.command, 0, c.within)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if len(err.Error()) > 3000 || name != "not there" && strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("says too much: %q", err)
			}
		})
	}
}

// What a start hook leaves running lives on, and can go on printing.
func TestAStartHookLeavesItsService(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	pidFile := filepath.Join(t.TempDir(), "pid")
	c := role("parent", "TEST_CHILD", "serve", "TEST_ADDR", freeAddr(t), "TEST_LIFE", "0s")
	c.Argv = []string{"sh", "-c", `"$0" & echo $! > "$1"; wait $!`, os.Args[0], pidFile}
	if err := RunHook(context.Background(), "start", c, 0, 20*time.Second); err != nil {
		t.Fatal(err)
	}
	var addr string
	for _, pair := range c.Env {
		if pair[0] == "TEST_ADDR" {
			addr = pair[1]
		}
	}
	r := ready(t, addr, "/healthz")
	if err := r.Await(context.Background(), 20*time.Second, nil); err != nil {
		t.Fatal(err)
	}
	service := pidAt(t, addr)
	if err := syscall.Kill(service, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("the hook left %s behind", left[0].Name())
	}
}
