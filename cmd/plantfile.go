package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// plantFile is an open plant file and what it holds.
type plantFile struct {
	*os.File
	held *probe.Planted
	lock *plantLock
}

// Close also lets others have the file.
func (f *plantFile) Close() error {
	defer f.lock.release()
	return f.File.Close()
}

// mostPlanted bounds a plant file's size in bytes.
const mostPlanted = 1 << 30

// openPlantFile reads a plant file and makes it ready to be added to: what a
// killed run left of its last line is taken off.
func openPlantFile(path string) (*plantFile, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, problem.New(path, "is no regular file, and what was planted is read and written again")
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		wrong := unopened(path, err)
		if errors.Is(err, os.ErrNotExist) && problem.Hint(wrong) == "" {
			return nil, problem.New(path, "cannot be read: %s", reason(err)).WithHint("plant first: idem verify CONTRACT --live --plant %s", path)
		}
		return nil, wrong
	}
	lock, err := lockPlantFile(path)
	if err != nil {
		file.Close()
		return nil, err
	}
	f := &plantFile{File: file, lock: lock}
	if err := f.read(path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *plantFile) read(path string) error {
	src, err := io.ReadAll(io.LimitReader(f, mostPlanted+1))
	switch {
	case err != nil:
		return problem.New(path, "cannot be read: %s", reason(err))
	case len(src) > mostPlanted:
		return problem.New(path, "is longer than anything that is planted")
	}
	whole := bytes.LastIndexByte(src, '\n') + 1
	if tail := src[whole:]; len(bytes.TrimSpace(tail)) > 0 && json.Valid(tail) {
		whole = len(src) // its line break alone is missing
	}
	p, err := probe.ReadPlanted(trace.Read(bytes.NewReader(src[:whole])))
	if err != nil {
		return problem.New(path, "%s", err).Because(err)
	}
	f.held = p
	if whole < len(src) {
		err = f.Truncate(int64(whole))
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekEnd)
	}
	if err == nil && src[whole-1] != '\n' {
		_, err = f.Write([]byte("\n"))
	}
	if err != nil {
		return problem.New(path, "cannot be written: %s", reason(err))
	}
	return nil
}

// add writes what a harvest does with the planted operations.
func (f *plantFile) add(h trace.Harvest) error {
	err := trace.ContinueAfter(f.File, f.held.Events).
		Write(&trace.Event{At: h.At(f.held.Epoch), Kind: trace.KindHarvest, Harvest: &h})
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return problem.New(f.Name(), "cannot be written: %s", reason(err))
	}
	f.held.Events++
	return nil
}

// seen writes down what a harvest saw that later ones build on.
func (f *plantFile) seen(r *probe.Report, use trace.Harvest, cleaned bool) error {
	use.Uses, use.Cleaned = nil, cleaned && !f.held.Cleaned
	known := map[string]bool{}
	for _, old := range f.held.Remembered {
		known[old.Operation] = true
	}
	for _, op := range r.Operations {
		for _, s := range op.Steps {
			if s.Remembered > 0 && !known[op.Name] {
				use.Remembered = append(use.Remembered, trace.Remembered{Operation: op.Name, Run: use.Run, After: s.Remembered})
			}
		}
	}
	if len(use.Remembered) == 0 && !use.Cleaned {
		return nil
	}
	return f.add(use)
}
