//go:build !windows

package cmd

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// wasClosed says whether a standard stream was closed when the program began:
// the run time then opens the null device in its place, for reading and
// writing, which a redirection never does.
func wasClosed(f *os.File, fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return err != nil
	}
	here, err := f.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(here, null)
}

// openPlain opens a file that is read without waiting. os.Open would ask the
// poller to watch it, which means to make a poller and be refused.
func openPlain(file string) (*os.File, error) {
	for {
		fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			return os.NewFile(uintptr(fd), file), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, &os.PathError{Op: "open", Path: file, Err: err}
		}
	}
}
