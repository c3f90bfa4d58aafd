package keysource

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/idem-toolkit/idem/internal/problem"
)

// shielded are the inherited handles that this process itself took out of
// inheritance.
var shielded sync.Map

var getHandleInformation = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetHandleInformation")

// openFD takes an inherited handle, which can be inherited further, as what
// this process opened for itself cannot; there, as 0, only standard input has
// a number that a shell knows.
func openFD(fd int) (*os.File, error) {
	if fd == 0 {
		return os.Stdin, nil
	}
	_, ours := shielded.LoadAndDelete(fd)
	if !ours && !inheritable(fd) {
		return nil, problem.New("", "the descriptor is not open").WithHint("name an environment variable or a file")
	}
	f := os.NewFile(uintptr(fd), "descriptor")
	if f == nil {
		return nil, problem.New("", "the descriptor is not open")
	}
	return f, nil
}

func inheritable(fd int) bool {
	var flags uint32
	ok, _, _ := getHandleInformation.Call(uintptr(fd), uintptr(unsafe.Pointer(&flags)))
	return ok != 0 && flags&windows.HANDLE_FLAG_INHERIT != 0
}

// shieldFD keeps an inherited handle from children.
func shieldFD(fd int) {
	if fd != 0 && inheritable(fd) {
		shielded.Store(fd, true)
		_ = windows.SetHandleInformation(windows.Handle(fd), windows.HANDLE_FLAG_INHERIT, 0)
	}
}
