//go:build !windows

package keysource

import (
	"io/fs"
	"os"

	"github.com/idem-toolkit/idem/internal/problem"
)

// checkReaders refuses a key file that group or others may do anything with.
func checkReaders(_ *os.File, info fs.FileInfo, path string) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return problem.New("", "its mode is %04o, and group and others must have no access", mode).
			WithHint("chmod 600 %s", quoted(path))
	}
	return nil
}
