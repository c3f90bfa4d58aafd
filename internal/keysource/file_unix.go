//go:build !windows

package keysource

import (
	"io/fs"
	"os"
	"strings"

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

// quoted gives a path as a shell takes it.
func quoted(path string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+@%:,", c)
	}
	if path != "" && path[0] != '-' && strings.IndexFunc(path, func(c rune) bool { return !plain(c) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
