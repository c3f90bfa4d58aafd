//go:build !windows

package keysource

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// inherited gives a descriptor that reads text and, unlike those of Go, is
// left open to children.
func inherited(t *testing.T, text string, end bool) int {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if _, err := w.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if end {
		w.Close()
	} else {
		t.Cleanup(func() { w.Close() })
	}
	return fd
}

func TestLoadsFromDescriptor(t *testing.T) {
	fd := inherited(t, keyLine+"\n", true)
	s, err := Load(t.Context(), spec(determ.Source{IsFD: true, FD: fd}), World{})
	if err != nil || s.Kid() != "k1" {
		t.Fatal(err)
	}
	if err := syscall.Fstat(fd, new(syscall.Stat_t)); err != syscall.EBADF {
		t.Errorf("the descriptor stays open: %v", err)
	}
}

func TestDescriptorThatIsNotOpen(t *testing.T) {
	fd := inherited(t, "", true)
	syscall.Close(fd)
	_, err := Load(t.Context(), spec(determ.Source{IsFD: true, FD: fd}), World{})
	if err == nil || !strings.Contains(err.Error(), "the descriptor is not open") || problem.Hint(err) == "" {
		t.Error(err)
	}
}

// TestDescriptorOfOurOwn: what the process opened for itself was never given.
func TestDescriptorOfOurOwn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(keyLine); err != nil {
		t.Fatal(err)
	}
	w.Close()
	_, err = Load(t.Context(), spec(determ.Source{IsFD: true, FD: int(r.Fd())}), World{})
	if err == nil || !strings.Contains(err.Error(), "the descriptor is not open") {
		t.Error(err)
	}
}

// TestShieldedDescriptorIsStillRead: one version's key is a command, the
// other's a descriptor, which the command must not inherit and idem must read.
func TestShieldedDescriptorIsStillRead(t *testing.T) {
	fd := inherited(t, keyLine, true)
	argv, environ := child("print")
	byFD, byCommand := spec(determ.Source{IsFD: true, FD: fd}), spec(determ.Source{Command: argv})
	ring := NewRing(World{Environ: environ, Specs: []determ.KeySpec{byCommand, byFD}})
	for _, s := range []determ.KeySpec{byCommand, byFD} {
		if _, err := ring.Load(t.Context(), s); err != nil {
			t.Error(err)
		}
	}
	// The number is free again: a new file under it is not what was given.
	other, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := openFD(int(other.Fd())); err == nil {
		t.Error("a descriptor of our own was taken for a given one")
	}
}

func TestDescriptorThatNeverEnds(t *testing.T) {
	fd := inherited(t, keyLine, false)
	_, err := Load(t.Context(), spec(determ.Source{IsFD: true, FD: fd}), World{Timeout: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "it gave no end of the key in time") {
		t.Error(err)
	}
}

// TestChildrenInheritNoDescriptor: a key command of one version must not read
// the key of another.
func TestChildrenInheritNoDescriptor(t *testing.T) {
	fd := inherited(t, keyLine, true)
	defer syscall.Close(fd)
	argv, environ := child("print")
	w := World{Environ: environ, Specs: []determ.KeySpec{spec(determ.Source{IsFD: true, FD: fd})}}
	if _, err := w.runCommand(t.Context(), argv); err != nil {
		t.Fatal(err)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("children would inherit the descriptor: flags %d, %v", flags, err)
	}
}

func TestPipeAsFile(t *testing.T) {
	path := t.TempDir() + "/pipe"
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			f.WriteString(keyLine)
			f.Close()
		}
	}()
	if _, err := Load(t.Context(), spec(determ.Source{File: path}), World{}); err != nil {
		t.Error(err)
	}
	// Nobody writes: the wait has an end.
	_, err := Load(t.Context(), spec(determ.Source{File: path}), World{Timeout: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "in time") {
		t.Error(err)
	}
}
