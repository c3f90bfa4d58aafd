package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idem-toolkit/idem/internal/problem"
)

// overZip writes an archive to its file, whole or not at all. It is the file
// behind a link that counts. What is there gives way with force alone, and is
// kept then.
func (o *packOptions) overZip(archive []byte) (*keptFile, error) {
	fail := func(err error) error { return problem.New(o.zip, "cannot be written: %s", reason(err)) }
	info, err := os.Stat(o.zip)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(o.zip); err == nil {
			return nil, problem.New(o.zip, "is a link that leads nowhere")
		}
	}
	for _, input := range o.inputs {
		if read, err := os.Stat(input); err == nil && info != nil && os.SameFile(info, read) {
			return nil, problem.New(o.zip, "is %s, of which the pack is made", problem.Line(input)).WithHint("idem pack --zip safe-retries.zip")
		}
	}
	var kept *keptFile
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fail(err)
	case info.IsDir():
		return nil, problem.New(o.zip, "is a folder, not a file").WithHint("idem pack --force %s, for a folder", fileWord(o.zip, "DIR"))
	case !info.Mode().IsRegular() || isStream(info):
	case !o.force:
		return nil, problem.New(o.zip, "is there already").WithHint("idem pack --force --zip %s, or another name", fileWord(o.zip, "FILE"))
	default:
		if kept, err = keepZip(o.zip, archive); err != nil {
			return nil, fail(err)
		}
	}
	if err := writeWhole(o.zip, archive); err != nil {
		if kept != nil {
			os.Remove(kept.as)
		}
		return nil, fail(err)
	}
	return kept, nil
}

// keepZip keeps a file that is about to be replaced under a name that nobody
// has, beside it; nothing where the archive is what it holds.
func keepZip(name string, archive []byte) (*keptFile, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	if fileHolds(real, archive) {
		return nil, nil
	}
	for i := range mostKept {
		as := real + ".orig"
		if i > 0 {
			as = fmt.Sprintf("%s.orig%d", real, i+1)
		}
		err := keepAs(real, as)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return &keptFile{name: name, as: as}, err
	}
	return nil, fmt.Errorf("there are %d of it already", mostKept)
}

// keepAs gives a file a second name, or a copy where a file has only one. It
// fails where something has that name.
func keepAs(name, as string) error {
	err := os.Link(name, as)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	from, err := os.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := os.OpenFile(as, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(as)
	}
	return err
}

// fileHolds says whether a file is these very bytes.
func fileHolds(name string, text []byte) bool {
	info, err := os.Stat(name)
	if err != nil || info.Size() != int64(len(text)) {
		return false
	}
	there, err := os.ReadFile(name)
	return err == nil && bytes.Equal(there, text)
}
