package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole puts a text in the place of a file, whole or not at all: into a
// file beside it first, which then takes its name. A link stays one. What is no
// regular file, such as /dev/stdout, is written as it is, and so is a file whose
// folder takes no others.
func writeWhole(path string, text []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if _, err := os.Lstat(path); err == nil {
		return os.WriteFile(path, text, 0o644) // a link to what is yet to be made
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case err == nil && (!info.Mode().IsRegular() || isStream(info)):
		return os.WriteFile(path, text, mode)
	case err == nil:
		mode = info.Mode().Perm()
	}
	next, err := makeBeside(path, mode)
	if err != nil {
		if info != nil && errors.Is(err, fs.ErrPermission) {
			return os.WriteFile(path, text, mode)
		}
		return err
	}
	_, err = next.Write(text)
	if err == nil && info != nil {
		err = next.Chmod(mode)
	}
	if closed := next.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(next.Name(), path)
	}
	if err != nil {
		os.Remove(next.Name())
	}
	return err
}

// isStream says that a file is where standard output or error goes: a new one in
// its place would not be.
func isStream(info fs.FileInfo) bool {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if stream, err := f.Stat(); err == nil && os.SameFile(info, stream) {
			return true
		}
	}
	return false
}

// makeBeside makes a new file in a file's folder, readable as the process's
// umask has it.
func makeBeside(path string, mode fs.FileMode) (*os.File, error) {
	reserved, err := os.CreateTemp(filepath.Dir(path), ".idem-report-*")
	if err != nil {
		return nil, err
	}
	name := reserved.Name() + ".new"
	next, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	reserved.Close()
	os.Remove(reserved.Name())
	return next, err
}
