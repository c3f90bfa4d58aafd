package cmd

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/pack"
	"github.com/idem-toolkit/idem/internal/problem"
)

// packStaging is the folder in which a pack is made ready within another. It is the
// lock too: who makes it writes, and nobody beside.
const packStaging = ".idem-pack"

// writeFolder writes the files of a pack into a folder: beside it, or in a hidden
// folder within it where it is there already, and then by renaming. An error or
// an interrupt leaves nothing of it. A folder that is not empty is refused
// without force. With it, nothing in it is lost: what stands under a name of the
// pack's and differs is renamed, and what git goes by stays.
func writeFolder(ctx context.Context, dir string, files []pack.File, force bool) ([]keptFile, error) {
	dir = filepath.Clean(dir)
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(dir); err == nil {
			return nil, problem.New(dir, "is a link that leads nowhere")
		}
		return nil, writeNewFolder(ctx, dir, files)
	}
	if err != nil {
		return nil, problem.New(dir, "cannot be written: %s", reason(err))
	}
	if !info.IsDir() {
		return nil, problem.New(dir, "is a file, not a folder").WithHint("idem pack safe-retries, or idem pack --zip FILE")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, problem.New(dir, "cannot be read: %s", reason(err))
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), packStaging) {
			return nil, beingWritten(filepath.Join(dir, e.Name()))
		}
	}
	if len(entries) > 0 && !force {
		return nil, problem.New(dir, "is not empty").
			WithHint("name a folder that is not there yet, or write into it: idem pack --force %s", fileWord(dir, "DIR"))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, problem.New(dir, "cannot be read: %s", reason(err))
	}
	defer root.Close()
	w := &packWriter{dir: dir, root: root}
	err = w.write(ctx, files)
	return w.kept, err
}

func beingWritten(hidden string) error {
	return problem.New(hidden, "another idem pack writes here, or was killed and left it").
		WithHint("where none runs: rm -r %s", fileWord(hidden, "FOLDER"))
}

// writeNewFolder writes a folder that is not there yet beside its place, and
// gives it its name when it is whole.
func writeNewFolder(ctx context.Context, dir string, files []pack.File) error {
	fail := func(err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return problem.New(dir, "the folder that it is to be in is not there").WithHint("mkdir -p %s", fileWord(filepath.Dir(dir), "PARENT"))
		}
		return cannotPack(dir, err)
	}
	beside, err := os.MkdirTemp(filepath.Dir(dir), ".idem-pack-*")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(beside)
	whole := filepath.Join(beside, "whole") // with the modes of the process, as MkdirTemp has none
	if err := os.Mkdir(whole, 0o777); err != nil {
		return fail(err)
	}
	root, err := os.OpenRoot(whole)
	if err != nil {
		return fail(err)
	}
	err = stage(ctx, root, ".", files)
	root.Close()
	if err == nil {
		err = os.Rename(whole, dir)
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// cannotPack says why nothing was written, and which file could not be.
func cannotPack(dir string, err error) error {
	var exit *exitCode
	var p *problem.Error
	if errors.As(err, &exit) || errors.As(err, &p) {
		return err
	}
	return problem.New(dir, "cannot be written, and nothing was: %s", reason(err))
}

// stage writes the files beneath a folder of root.
func stage(ctx context.Context, root *os.Root, in string, files []pack.File) error {
	for _, f := range files {
		if ctx.Err() != nil {
			return exitWith(ExitInterrupted)
		}
		name := path.Join(in, f.Name)
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return err
		}
		mode := fs.FileMode(0o666)
		if f.Executable {
			mode = 0o777
		}
		to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return err
		}
		_, err = to.Write(f.Content)
		if closed := to.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packWriter writes a pack into a folder that is there. Everything goes through
// its root: a link within the folder leads nobody out of it.
type packWriter struct {
	dir  string
	root *os.Root
	kept []keptFile
	undo []func() // what takes back what was done, the last first
}

func (w *packWriter) write(ctx context.Context, files []pack.File) error {
	if err := w.roomFor(files); err != nil {
		return err
	}
	if err := w.root.Mkdir(packStaging, 0o700); errors.Is(err, fs.ErrExist) {
		return beingWritten(w.at(packStaging))
	} else if err != nil {
		return cannotPack(w.dir, err)
	}
	defer w.root.RemoveAll(packStaging)
	if err := stage(ctx, w.root, packStaging, files); err != nil {
		return cannotPack(w.dir, err)
	}
	for _, f := range files {
		if err := w.put(f); err != nil {
			for _, undo := range slices.Backward(w.undo) {
				undo()
			}
			return cannotPack(w.dir, err)
		}
	}
	return nil
}

// roomFor refuses a folder in which something of another kind stands where the
// pack has a file or a folder, before anything is written.
func (w *packWriter) roomFor(files []pack.File) error {
	for _, f := range files {
		for folder := path.Dir(f.Name); folder != "."; folder = path.Dir(folder) {
			switch info, err := w.root.Lstat(folder); {
			case err != nil || info.IsDir():
			case info.Mode()&fs.ModeSymlink != 0:
				return problem.New(w.at(folder), "is a link where the pack has a folder: nothing is written through it").WithHint("remove the link")
			default:
				return problem.New(w.at(folder), "is a file where the pack has a folder").WithHint("move it away")
			}
		}
		if info, err := w.root.Lstat(f.Name); err == nil && info.IsDir() {
			return problem.New(w.at(f.Name), "is a folder where the pack has a file").WithHint("move it away")
		}
	}
	return nil
}

func (w *packWriter) at(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// put gives a staged file its name, and notes how that is taken back.
func (w *packWriter) put(f pack.File) error {
	if err := w.folders(path.Dir(f.Name)); err != nil {
		return err
	}
	if info, err := w.root.Lstat(f.Name); err == nil {
		if info.Mode().IsRegular() && info.Size() == int64(len(f.Content)) {
			if there, err := w.root.ReadFile(f.Name); err == nil && bytes.Equal(there, f.Content) {
				return nil // nothing would change
			}
		}
		if forGit(f.Name) {
			return w.leave(f)
		}
		if err := w.keep(f.Name); err != nil {
			return err
		}
	}
	if err := w.root.Rename(path.Join(packStaging, f.Name), f.Name); err != nil {
		return err
	}
	w.undo = append(w.undo, func() { w.root.Remove(f.Name) })
	return nil
}

// folders makes a folder of the pack and those above it.
func (w *packWriter) folders(name string) error {
	if name == "." {
		return nil
	}
	if err := w.folders(path.Dir(name)); err != nil {
		return err
	}
	err := w.root.Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		w.undo = append(w.undo, func() { w.root.Remove(name) })
	}
	return err
}
