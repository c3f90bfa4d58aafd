//go:build !windows

package keysource

import (
	"os"
	"syscall"

	"github.com/idem-toolkit/idem/internal/problem"
)

// openFD takes an inherited descriptor.
func openFD(fd int) (*os.File, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, problem.New("", "the descriptor is not open").WithHint("idem ... %d< KEYFILE", fd)
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "descriptor"), nil
}

// shieldFD keeps an inherited descriptor from children.
func shieldFD(fd int) { syscall.CloseOnExec(fd) }
