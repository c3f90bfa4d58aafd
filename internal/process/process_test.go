//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func begin(t *testing.T, c Command) *Process {
	t.Helper()
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	return p
}

// eventually waits for what other processes bring about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("not within 20 s: %s", what)
}

func says(t *testing.T, p *Process, text string) string {
	t.Helper()
	eventually(t, "the program says "+text, func() bool { return strings.Contains(p.Output(), text) })
	return p.Output()
}

func childOf(t *testing.T, p *Process) int {
	t.Helper()
	_, after, _ := strings.Cut(says(t, p, "child "), "child ")
	line, _, _ := strings.Cut(after, "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// alive: a zombie that nobody reaps is dead.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func TestExitIsTold(t *testing.T) {
	p := begin(t, role("quit"))
	exit, err := p.Wait(context.Background())
	if err != nil || exit.String() != "exit 3" || p.Output() != "my last words" {
		t.Fatalf("%s, %q, %v", exit, p.Output(), err)
	}
	for name, act := range map[string]func() error{"kill": p.Kill, "pause": p.Pause, "resume": p.Resume} {
		if err := act(); !errors.Is(err, ErrEnded) {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	if exit := p.Stop(time.Minute); exit.Code != 3 {
		t.Errorf("stop after the end: %s", exit)
	}
}

func TestKill(t *testing.T) {
	p := begin(t, role("sleep"))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a running program has ended: %v", err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if exit, _ := p.Wait(context.Background()); exit.String() != "killed" {
		t.Fatalf("ended with %s", exit)
	}
}

func TestKillTakesTheWholeGroup(t *testing.T) {
	p := begin(t, role("parent", "TEST_CHILD", "sleep", "TEST_LIFE", "1m"))
	child := childOf(t, p)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	p.Wait(context.Background())
	eventually(t, "the child is gone too", func() bool { return !alive(child) })
}

// A child that outlives the program is gone when the program's end is told,
// though it ignores requests and holds the output open.
func TestNobodyOutlivesTheProgram(t *testing.T) {
	p := begin(t, role("parent", "TEST_CHILD", "stubborn", "TEST_LIFE", "200ms"))
	child := childOf(t, p)
	if exit, _ := p.Wait(context.Background()); exit.String() != "exit 0" {
		t.Fatalf("ended with %s", exit)
	}
	eventually(t, "the child is gone", func() bool { return !alive(child) })
}

func TestStop(t *testing.T) {
	polite := begin(t, role("polite"))
	says(t, polite, "listening")
	if exit := polite.Stop(20 * time.Second); exit.String() != "exit 5" || !strings.Contains(polite.Output(), "goodbye") {
		t.Errorf("polite: %s, %q", exit, polite.Output())
	}
	paused := begin(t, role("polite"))
	says(t, paused, "listening")
	if err := paused.Pause(); err != nil {
		t.Fatal(err)
	}
	if exit := paused.Stop(20 * time.Second); exit.String() != "exit 5" {
		t.Errorf("paused: %s", exit)
	}
	stubborn := begin(t, role("stubborn"))
	says(t, stubborn, "ignoring")
	if exit := stubborn.Stop(50 * time.Millisecond); exit.String() != "killed" {
		t.Errorf("stubborn: %s", exit)
	}
}

func TestPauseAndResume(t *testing.T) {
	addr := freeAddr(t)
	p := begin(t, role("serve", "TEST_ADDR", addr))
	r := ready(t, addr, "/healthz")
	if err := r.Await(context.Background(), 20*time.Second, p.Done()); err != nil {
		t.Fatal(err)
	}
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := r.Await(context.Background(), 100*time.Millisecond, nil); err == nil {
		t.Error("a paused service answers")
	}
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := r.Await(context.Background(), 20*time.Second, nil); err != nil {
		t.Error(err)
	}
}

func TestAKilledIdemLeavesNoOrphan(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a child of its parent's death")
	}
	p := begin(t, role("idem"))
	child := childOf(t, p)
	time.Sleep(50 * time.Millisecond)
	if !alive(child) {
		t.Fatal("the service died with a thread")
	}
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the service is gone", func() bool { return !alive(child) })
}

func TestStartRefuses(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "not-executable")
	os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600)
	for name, c := range map[string]Command{
		"nothing":        {},
		"empty name":     {Argv: []string{""}},
		"no such file":   {Argv: []string{"./no-such-program", "s3cr3t"}},
		"not in PATH":    {Argv: []string{"no-such-program-anywhere", "s3cr3t"}},
		"not executable": {Argv: []string{script, "s3cr3t"}},
		"no directory":   {Argv: []string{os.Args[0], "s3cr3t"}, Dir: filepath.Join(dir, "none")},
		"NUL":            {Argv: []string{os.Args[0], "s3cr3t\x00"}},
	} {
		_, err := Start(c)
		if err == nil {
			t.Errorf("%s: started", name)
		} else if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: the error shows an argument: %v", name, err)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	p := begin(t, role("chatter"))
	p.Wait(context.Background())
	out := p.Output()
	if len(out) > ringSize || !strings.HasSuffix(out, "xx\nthe end") {
		t.Errorf("%d bytes, ending %q", len(out), out[max(0, len(out)-20):])
	}
}

// The ring is the end of all that was written, from a whole line on.
func TestRingLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring
		var all strings.Builder
		for i := range rapid.IntRange(0, 20).Draw(t, "writes") {
			b := strings.Repeat(fmt.Sprintf("line %d\n", i), rapid.IntRange(0, 9000).Draw(t, "lines"))
			r.Write([]byte(b))
			all.WriteString(b)
		}
		got := r.String()
		if !strings.HasSuffix(all.String(), got) || len(got) > ringSize {
			t.Fatal("not the end of what was written")
		}
		if all.Len() < ringSize && got != all.String() {
			t.Fatal("something was lost without need")
		}
		if cut := all.Len() - len(got); all.Len() >= ringSize && (all.String()[cut-1] != '\n' || len(got) < ringSize-20) {
			t.Fatal("not cut at the first line end")
		}
	})
}

func TestEnvironment(t *testing.T) {
	c := role("environ", "ADDED", "by the contract", "ALSO_SECRET", "given on purpose")
	c.Environ = append(c.Environ, "INHERITED=yes", "API_TOKEN=s3cr3t", "ALSO_SECRET=s3cr3t", "API_TOKEN_NAME=no secret", "", "=", "BROKEN")
	c.Deny = []string{"API_TOKEN", "ALSO_SECRET"}
	out, err := Run(context.Background(), c, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(out.Stdout)), "\n")
	for _, want := range []string{"ADDED=by the contract", "INHERITED=yes", "API_TOKEN_NAME=no secret", "ALSO_SECRET=given on purpose"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not there", want)
		}
	}
	if strings.Contains(string(out.Stdout), "s3cr3t") {
		t.Error("a secret was inherited")
	}
}

func TestDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := role("where")
	c.Dir = dir
	out, err := Run(context.Background(), c, 20*time.Second)
	if got := strings.TrimSpace(string(out.Stdout)); err != nil || got != dir {
		t.Errorf("ran in %s, want %s: %v", got, dir, err)
	}
}
