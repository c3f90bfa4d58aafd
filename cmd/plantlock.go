package cmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// plantLock keeps a plant file for one process: two that add to it would ruin
// it. It is a file beside it, which only one can make, and holds the number of
// the process.
type plantLock struct{ path string }

// mostPID bounds what is read of a lock in bytes.
const mostPID = 32

// lockPlantFile takes the lock, also of a plant file that is not there yet.
func lockPlantFile(path string) (*plantLock, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // its other names have the same lock
	}
	l := &plantLock{path + ".lock"}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, problem.New(path, "is in use by another idem verify%s", l.holder()).
			WithHint("wait until that one is done; where it is no longer running, remove %s", l.path)
	case err != nil:
		return nil, problem.New(l.path, "cannot be made, and two at once would ruin %s: %s", path, reason(err))
	}
	_, err = f.WriteString(strconv.Itoa(os.Getpid()) + "\n")
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		l.release()
		return nil, problem.New(l.path, "cannot be written: %s", reason(err))
	}
	return l, nil
}

// holder names the process that has the lock, where the lock says it.
func (l *plantLock) holder() string {
	f, err := os.Open(l.path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, mostPID))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return ""
	}
	return ", process " + strconv.Itoa(pid)
}

func (l *plantLock) release() { os.Remove(l.path) }
