package cmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// readInput reads a file, or standard input for "-", up to a size in bytes.
func readInput(app *App, file string, most int64) ([]byte, error) {
	if file == "-" {
		return readMost(app.stdin("a file named -"), "standard input", most)
	}
	var s signals
	if app != nil {
		s = app.signals
	}
	f, err := s.openInput(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readMost(s.patient(f), file, most)
}

// openInput opens a file that is to be read.
func (s signals) openInput(file string) (*os.File, error) {
	if err := named(file); err != nil {
		return nil, err
	}
	f, err := s.open(file)
	if err != nil {
		return nil, unopened(file, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, isFolder(file)
	}
	return f, nil
}

func readMost(in io.Reader, name string, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, problem.New(name, "cannot be read: %s", reason(err))
	}
	if int64(len(b)) > most {
		return nil, problem.New(name, "is larger than %d bytes", most)
	}
	return b, nil
}

// named refuses a file without a name, as an unset variable gives it.
func named(file string) error {
	if file == "" {
		return problem.New("FILE", "the name of the file is empty")
	}
	return nil
}

// fileWord gives a file's name as a shell takes it and no command for a flag;
// what it is, where there is no plain way.
func fileWord(file, what string) string {
	switch {
	case file == "-":
		return file
	case !showable(file):
		return what
	case strings.HasPrefix(file, "-"):
		return "./" + file
	}
	return file
}

// onceOnly refuses files of which two are standard input: the second would
// find it empty.
func onceOnly(files []string) error {
	if first := slices.Index(files, "-"); first >= 0 && slices.Contains(files[first+1:], "-") {
		return problem.New("-", "standard input can be read once only")
	}
	return nil
}

// reason gives the cause of a file error without its path, which the message
// has already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
