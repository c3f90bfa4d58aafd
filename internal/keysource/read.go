package keysource

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// readSource reads one source to its end, at most one byte more than a key
// may have.
func (w World) readSource(ctx context.Context, s determ.Source) ([]byte, error) {
	if s.Env == "" && w.Waits != nil {
		w.Waits()
	}
	switch {
	case s.Env != "":
		value, ok := w.LookupEnv(s.Env)
		if !ok {
			err := problem.New("", "the variable is not set").Because(errAbsent)
			if s.Flag != "" {
				return nil, err.WithHint("%s takes the name of a variable that is set and exported", s.Flag)
			}
			return nil, err
		}
		return []byte(value), nil
	case s.File != "":
		return within(ctx, func() ([]byte, error) { return w.readFile(s) })
	case s.IsFD:
		return within(ctx, func() ([]byte, error) { return w.readFD(s.FD) })
	case len(s.Command) > 0:
		return w.runCommand(ctx, s.Command)
	}
	return nil, problem.New("", "no source is named")
}

// within gives up waiting for a pipe or a file system when the time is over.
func within(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		b   []byte
		err error
	}
	done := make(chan result, 1)
	go func() {
		b, err := read()
		done <- result{b, err}
	}()
	select {
	case r := <-done:
		return r.b, r.err
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return problem.New("", "it gave no end of the key in time")
	}
	return ctx.Err()
}

func readBounded(in io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, determ.MaxKeyText+1))
	if err != nil {
		return nil, problem.New("", "it cannot be read: %s", cause(err))
	}
	return b, nil
}

// readFile opens the file and judges the very descriptor that it reads.
func (w World) readFile(s determ.Source) ([]byte, error) {
	path := w.path(s.File)
	f, err := os.Open(path)
	if err != nil {
		missing := errors.Is(err, fs.ErrNotExist)
		err := problem.New("", "it cannot be opened: %s", cause(err))
		if strings.HasPrefix(s.File, "~") || strings.HasPrefix(s.File, "$") {
			return nil, err.WithHint("no shell reads this name: write the folder out in place of ~ or a variable")
		}
		if missing {
			return nil, err.Because(errAbsent)
		}
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, problem.New("", "it cannot be looked at: %s", cause(err))
	}
	if info.IsDir() {
		return nil, problem.New("", "it is a folder")
	}
	if !s.AnyMode {
		if err := checkReaders(f, info, path); err != nil {
			return nil, orAnyMode(s, err)
		}
	}
	return readBounded(f)
}

// orAnyMode adds to a hint how a file is taken whatever its mode, in the words
// of the place that names it: the recipe, or a flag. A passphrase that a flag
// names is not.
func orAnyMode(s determ.Source, err error) error {
	way := "mode: any beside file: in the recipe"
	switch {
	case strings.HasPrefix(s.Flag, "--passphrase"):
		return err
	case s.Flag != "":
		way = "--key-any-mode"
	}
	var p *problem.Error
	if !errors.As(err, &p) || p.Hint == "" {
		return err
	}
	return p.WithHint("%s, or, where a container mounts it so, %s", p.Hint, way)
}

// readFD reads an inherited descriptor, which no child gets and which is
// closed afterwards.
func (w World) readFD(fd int) ([]byte, error) {
	if fd == 0 && w.Stdin != nil {
		return readBounded(w.Stdin)
	}
	f, err := openFD(fd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f)
}

// cause gives a file error without its path, which the message has already.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
