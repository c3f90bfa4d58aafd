package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// settle has a file that was just written read back from the disk, as an
// installed program is after a restart, and as openssl's was. What was just
// written lies in memory in small pieces, of which each costs when it is mapped.
func settle(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return err
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, f)
	return err
}
