package keysource

import (
	"os"

	"golang.org/x/sys/windows"

	"github.com/idem-toolkit/idem/internal/problem"
)

// openFD takes an inherited handle; there, as 0, only standard input has a
// number that a shell knows.
func openFD(fd int) (*os.File, error) {
	if fd == 0 {
		return os.Stdin, nil
	}
	f := os.NewFile(uintptr(fd), "descriptor")
	if f == nil {
		return nil, problem.New("", "the descriptor is not open")
	}
	if _, err := f.Stat(); err != nil {
		return nil, problem.New("", "the descriptor is not open").WithHint("name an environment variable or a file")
	}
	return f, nil
}

// shieldFD keeps an inherited handle from children.
func shieldFD(fd int) {
	if fd != 0 {
		_ = windows.SetHandleInformation(windows.Handle(fd), windows.HANDLE_FLAG_INHERIT, 0)
	}
}
