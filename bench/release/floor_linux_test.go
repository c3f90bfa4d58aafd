package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// states are those of all threads of a process, a letter for each: T is stopped.
func states(t *testing.T, pid int) string {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	var all []byte
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		all = append(all, rest[0])
	}
	if len(all) == 0 {
		t.Fatalf("no process %d", pid)
	}
	return string(all)
}

func spawnedRig(t *testing.T) (*spawned, *rig) {
	t.Helper()
	s, err := spawn(t.Context(), nil, "serve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	g := &rig{control: newControl()}
	g.plain.base = "http://" + s.Plain
	t.Cleanup(g.control.CloseIdleConnections)
	return s, g
}

// All of it stands still, and goes on whatever comes of what was done
// meanwhile.
func TestTheServerGoesOn(t *testing.T) {
	s, g := spawnedRig(t)
	still := stopping(s.process)
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		during func() error
	}{
		{"nothing", func() error { return nil }},
		{"an error", func() error { return broken }},
		{"a panic", func() error { panic(broken) }},
	} {
		during := ""
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = p.(error)
				}
			}()
			return still(func() error {
				during = states(t, s.process.Pid)
				return c.during()
			})
		}()
		if strings.Trim(during, "T") != "" || during == "" {
			t.Errorf("%s: its threads are %q", c.name, during)
		}
		if (err != nil) != (c.name != "nothing") || err != nil && !errors.Is(err, broken) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := g.seen(t.Context(), g.plain, "k"); err != nil {
			t.Errorf("after %s it does not answer: %v", c.name, err)
		}
	}
}

// Where the time of a round is over in the middle the server goes on too.
func TestARoundThatEndsEarlyLeavesNothingStopped(t *testing.T) {
	s, g := spawnedRig(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	reached := false
	w := floorWays(func(during func() error) error {
		return stopping(s.process)(func() error {
			reached = true
			<-ctx.Done()
			return during()
		})
	})[0]
	if err := w.release(ctx, g.plain, "/arrive", g.newKeys(2, 1)); err == nil || !reached {
		t.Errorf("stopped %v, %v", reached, err)
	}
	all, err := g.round(t.Context(), floorWays(stopping(s.process))[0], g.plain, "/arrive", g.newKeys(2, 1))
	if err != nil || len(all[0].Ready) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
}

// What cannot be stopped, or seen to be, is an error: a process that has gone,
// one that is not ours, and this one, which would not go on.
func TestWhatCannotBeStopped(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*os.Process{"gone": gone.Process, "itself": self} {
		if err := stopping(p)(func() error { t.Errorf("%s: it is done", name); return nil }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A stopped server ends with the process that stopped it, though that is killed.
func TestAStoppedServerEndsWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0], "stop-and-wait")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var line [32]byte
	n, _ := out.Read(line[:])
	parent.Process.Kill()
	parent.Wait()
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatalf("%q", line[:n])
	}
	defer syscall.Kill(pid, syscall.SIGKILL) // one that is gone is not there to be killed
	stat := fmt.Sprintf("/proc/%d/stat", pid)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(stat)
		if err != nil || strings.Contains(string(text), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("it is still there: %s", text)
		}
	}
}

// A deaf connection is not ready to be read, whatever has come, until it hears
// again.
func TestADeafConnectionWakesNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	come := func() (bytes int) {
		raw.Control(func(fd uintptr) { bytes, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
		return bytes
	}
	ready := func() (n int) {
		raw.Control(func(fd uintptr) { n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0) })
		return n
	}
	if err := deafen(conn, true); err != nil {
		t.Fatal(err)
	}
	other.Write([]byte("an answer"))
	for end := time.Now().Add(10 * time.Second); come() < 9 && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	if come() != 9 || ready() != 0 || err != nil {
		t.Errorf("%d bytes have come, ready %d, %v", come(), ready(), err)
	}
	if err := deafen(conn, false); err != nil {
		t.Fatal(err)
	}
	if ready() != 1 || err != nil {
		t.Errorf("it does not hear again: %v", err)
	}
}
