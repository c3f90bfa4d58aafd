//go:build !windows

package keysource

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/idem-toolkit/idem/internal/problem"
)

// shielded are the inherited descriptors that this process itself marked
// close-on-exec.
var shielded sync.Map

// openFD takes an inherited descriptor. One that came through exec is never
// close-on-exec, and what this process opened for itself always is: so a
// number that nobody handed over is not read, whatever stands behind it.
func openFD(fd int) (*os.File, error) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	_, ours := shielded.Load(fd)
	if err != nil || flags&unix.FD_CLOEXEC != 0 && !ours {
		return nil, problem.New("", "the descriptor is not open").WithHint("idem ... %d< FILE", fd)
	}
	syscall.CloseOnExec(fd)
	shielded.Delete(fd) // its number is free once it has been read
	return os.NewFile(uintptr(fd), "descriptor"), nil
}

// shieldFD keeps an inherited descriptor from children.
func shieldFD(fd int) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err == nil && flags&unix.FD_CLOEXEC == 0 {
		shielded.Store(fd, true)
		syscall.CloseOnExec(fd)
	}
}
