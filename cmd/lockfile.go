package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// recipeFolders gives the folders whose locks hold a recipe; the first is also
// what its paths are relative to. That is where the file really is, then where
// a link to it stands; for what comes through a pipe, the working directory.
func recipeFolders(file string) []string {
	if file == "-" {
		return []string{"."}
	}
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		return []string{"."}
	}
	spelled := filepath.Dir(file)
	real, err := filepath.EvalSymlinks(file)
	if err != nil || sameFolder(filepath.Dir(real), spelled) {
		return []string{spelled}
	}
	return []string{filepath.Dir(real), spelled}
}

func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// recipeDir is what the paths of a recipe are relative to.
func recipeDir(file string) string { return recipeFolders(file)[0] }

// readLock reads the idem.lock of a folder; nil where there is none. A link
// that leads nowhere is a lock that cannot be read.
func readLock(dir string) (*determ.Lock, error) {
	path := filepath.Join(dir, determ.LockName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	src, err := readInput(nil, path, document.MaxSize)
	if err != nil {
		return nil, err
	}
	return determ.ParseLock(path, src)
}

// checkLocks holds a recipe to the locks of its folders.
func checkLocks(r *determ.Recipe, file string) error {
	for _, dir := range recipeFolders(file) {
		lock, err := readLock(dir)
		if err == nil && lock != nil {
			err = lock.Check(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lockUpdate is one idem.lock that is being written. Its new text goes into a
// file beside it, which only one process can make: while it is there, nobody
// else reads the lock in order to change it.
type lockUpdate struct {
	lock *determ.Lock
	path string // of the file itself, where idem.lock is a link
	mode fs.FileMode
	next *os.File
}

// lockPatience is how long another process may be writing the same lock.
const lockPatience = 10 * time.Second

// beginLock reads the lock of a folder and keeps others from changing it until
// commit or abandon.
func beginLock(ctx context.Context, dir string) (*lockUpdate, error) {
	u := &lockUpdate{path: filepath.Join(dir, determ.LockName), mode: 0o644}
	name := u.path
	if real, err := filepath.EvalSymlinks(u.path); err == nil {
		u.path = real
	}
	var err error
	if u.next, err = makeNext(ctx, u.path+".new"); err != nil {
		return nil, err
	}
	if u.lock, err = readLock(dir); err != nil {
		u.abandon()
		return nil, err
	}
	if u.lock == nil {
		u.lock = determ.NewLock(name)
	} else if info, err := os.Stat(u.path); err == nil {
		u.mode = info.Mode().Perm()
	}
	return u, nil
}

// makeNext makes the file for a new text, and waits while another process has
// one there.
func makeNext(ctx context.Context, path string) (*os.File, error) {
	for deadline := time.Now().Add(lockPatience); ; {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, problem.New(path, "cannot be made: %s", reason(err))
		case time.Now().After(deadline):
			return nil, problem.New(path, "another idem recipe lock is writing, or was stopped while it was").
				WithHint("remove the file where no other is running")
		}
		select {
		case <-ctx.Done():
			return nil, exitWith(ExitInterrupted)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// commit puts the new text in the place of the old, whole or not at all.
func (u *lockUpdate) commit() error {
	_, err := u.next.Write(u.lock.Bytes())
	if err == nil && u.mode != 0o644 {
		err = u.next.Chmod(u.mode)
	}
	if err == nil {
		err = u.next.Sync()
	}
	if closed := u.next.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(u.next.Name(), u.path)
	}
	if err != nil {
		os.Remove(u.next.Name())
		return problem.New(u.lock.File, "cannot be written: %s", reason(err))
	}
	return nil
}

// abandon leaves the lock as it is.
func (u *lockUpdate) abandon() {
	u.next.Close()
	os.Remove(u.next.Name())
}
