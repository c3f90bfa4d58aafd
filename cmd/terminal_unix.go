//go:build !windows

package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalColumns is the width of the terminal that a file is, 0 where it is
// none or its width is not known.
func terminalColumns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
