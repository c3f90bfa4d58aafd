package keysource

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// ErrMissing is in the chain of the error of a key that is not there: its file
// is not, or its variable is not set.
var ErrMissing = errors.New("there is no key")

// errAbsent is in the chain of the error of a source that is not there.
var errAbsent = errors.New("there is no such source")

// missing says how a key comes to where it is not. To make one is right only
// where no ID was made yet: another key makes other IDs, and an operation that
// was done already would be done again.
func (w World) missing(spec determ.KeySpec) string {
	s := spec.Source
	bring := "put the key there"
	switch {
	case s.Env != "" && s.Flag != "":
		return s.Flag + " takes the name of a variable that is set and exported"
	case s.Env != "":
		bring = "set " + s.Env + " to the key"
	}
	if spec.Check != "" {
		return bring + " whose check value is " + spec.Check + ": a new one would make other IDs"
	}
	if spec.Format != "" && spec.Format != determ.FormatIdemkey {
		return bring + ", written as " + string(spec.Format) + "; idem key new makes one for a recipe without format"
	}
	return bring + "; where none was used before: " + w.making(spec)
}

// making gives the command that makes a key.
func (w World) making(spec determ.KeySpec) string {
	command := "idem key new"
	if spec.Kid != "" {
		command += " --kid " + spec.Kid
	}
	if p := spec.Passphrase; p != nil {
		switch {
		case p.Flag == "" && p.Env != "":
			command += " --passphrase-env " + p.Env
		case p.Flag == "" && p.File != "":
			command += " --passphrase-file " + plain(w.path(p.File))
		default:
			command += " --passphrase-env NAME"
		}
	}
	s := spec.Source
	switch {
	case s.Env != "":
		return "export " + s.Env + `="$(` + command + `)"`
	case s.Flag != "": // what a flag says may be the key itself
		return command + " --out FILE"
	}
	path := w.path(s.File)
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); err != nil && plain(folder) != "FILE" {
		command = "mkdir -p " + plain(folder) + " && " + command
	}
	return command + " --out " + plain(path)
}

// plain gives a path as a shell takes it, or FILE where that is not plain.
func plain(path string) string {
	if !problem.Plain(path) || strings.HasPrefix(path, "-") || problem.MaskKeys(path) != path {
		return "FILE"
	}
	return path
}

// path is where a file of the recipe is.
func (w World) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(w.Dir, file)
}
