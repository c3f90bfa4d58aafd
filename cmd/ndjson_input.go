package cmd

import (
	"io"
	"os"

	"github.com/idem-toolkit/idem/internal/problem"
)

// streamInput is the input of a stream.
type streamInput struct {
	io.Reader
	size  int64 // in bytes, of what is left to be read; 0 where it is not known
	close func()
}

// openStream opens a file, or takes standard input for "-".
func openStream(app *App, file string) (*streamInput, error) {
	if file == "-" {
		in := &streamInput{Reader: wholeInput{&inputReader{app, "a file named -"}}, close: func() {}}
		if f, ok := app.In.(*os.File); ok {
			in.size = leftIn(f)
			return in, notItself(app, file, f)
		}
		return in, nil
	}
	f, err := app.openInput(file)
	if err != nil {
		return nil, err
	}
	if err := notItself(app, file, f); err != nil {
		f.Close()
		return nil, err
	}
	return &streamInput{Reader: f, size: leftIn(f), close: func() { f.Close() }}, nil
}

// leftIn gives how much of a regular file is left to be read.
func leftIn(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	return max(info.Size()-at, 0)
}

// notItself refuses to read what is being written: it would never end.
func notItself(app *App, file string, in *os.File) error {
	r, ok := app.Out.(*result)
	if !ok {
		return nil
	}
	out, ok := r.to.(*os.File)
	if !ok {
		return nil
	}
	a, err := in.Stat()
	if err != nil || !a.Mode().IsRegular() {
		return nil
	}
	if b, err := out.Stat(); err == nil && os.SameFile(a, b) {
		return problem.New(inputName(file), "it is standard output too, and would be read and written for ever").
			WithHint("write to another file")
	}
	return nil
}

// wholeInput reads standard input as it is. Its reads do not end with a signal:
// a stream does so by itself, and what it had read by then is not lost.
type wholeInput struct{ *inputReader }

func (r wholeInput) Read(b []byte) (int, error) {
	if err := r.claim(); err != nil {
		return 0, err
	}
	return r.app.In.Read(b)
}
