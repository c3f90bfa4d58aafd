package cmd

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// singles gives the flags for one text of a command that has a lines mode.
func singles(command string) (flags map[string]string, lines bool) {
	switch command {
	case "canon":
		return canonSingle, true
	case "derive":
		return deriveSingle, true
	case "fingerprint":
		return fingerprintSingle, true
	}
	return nil, false
}

// advised gives an error of a text that is not one JSON value what may have
// been meant: several values, of which each is to be read, or none of JSON.
func (a *App) advised(file string, text []byte, err error) error {
	var e *fingerprint.Error
	if !errors.As(err, &e) || problem.Hint(err) != "" {
		return err
	}
	hint := ""
	switch {
	case e.Class == fingerprint.TrailingData && e.Offset >= 0 && int(e.Offset) < len(text) && a.typed.command != nil:
		if lines := byLine(text[:e.Offset], text[e.Offset:]); lines || isValue(text[e.Offset:]) {
			hint = a.severalHint(file, lines)
		}
	case e.Class == fingerprint.Empty && file == "-":
		hint = "name a file, or pipe one to standard input"
	case (e.Class == fingerprint.Syntax || e.Class == fingerprint.Literal) && slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(file))):
		hint = "it is YAML by its name, and a payload is JSON"
	}
	if hint == "" {
		return err
	}
	return &problem.Error{What: err.Error(), Hint: hint, Err: err}
}

// listed gives the refusal of a payload that is a list, and that the recipe
// takes for one record, the way to have its records read: to let the identity
// do without what it needs would make one operation of them all.
func (a *App) listed(payload *fingerprint.Value, file string, err error) error {
	if payload.Kind != fingerprint.KindArray || ofInput(err) || fingerprint.IsDisagreement(err) || a.typed.command == nil {
		return err
	}
	return &problem.Error{What: err.Error(), Hint: "the payload is a list; " + a.severalHint(file, false), Err: err}
}

func (a *App) severalHint(file string, lines bool) string {
	single, found := singles(a.typed.command.Name())
	for name := range single {
		if f := a.typed.command.Flag(name); f != nil && f.Changed {
			found = false
		}
	}
	if !found {
		return "give each payload a file of its own"
	}
	_, files := a.typed.parts()
	if len(files) > 1 {
		files = []string{file}
	}
	command := a.typed.with([]string{"--ndjson"}, files)
	if !lines {
		return "put each value on a line of its own, then " + command
	}
	return command
}

// byLine says whether a first value, with the white space behind it, and what
// follows are values of one line each.
func byLine(first, rest []byte) bool {
	value := bytes.TrimRight(first, " \t\r\n")
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return bytes.IndexByte(bytes.TrimLeft(value, " \t\r\n"), '\n') < 0 && bytes.IndexByte(first[len(value):], '\n') >= 0 && isValue(line)
}

// isValue says whether a text begins with an object or array, or is a value.
func isValue(text []byte) bool {
	err := fingerprint.Admit(text)
	var e *fingerprint.Error
	if err == nil {
		return true
	}
	return errors.As(err, &e) && strings.IndexByte("{[", text[0]) >= 0 &&
		(e.Class == fingerprint.TrailingData || e.Class == fingerprint.UnexpectedEnd)
}
