package cmd

import (
	"bytes"
	"errors"
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/stream"
)

// errorObject stands in the place of a line that was refused. It holds no
// value of the line.
type errorObject struct {
	Error lineError `json:"error"`
}

type lineError struct {
	Class   string `json:"class"`
	Line    int64  `json:"line"`
	Message string `json:"message"`
	Pointer string `json:"pointer,omitempty"`
}

// Classes of errors that are not of the text itself.
const (
	classLong      = "line-too-long"
	classAnnotate  = "annotate"
	classRecipe    = "recipe"    // the recipe refuses the payload
	classSensitive = "sensitive" // an unkeyed hash would give something away
)

// emit is stream.Options.OnError. What is no fault of the line ends the stream.
func (do perLine) emit(out []byte, line int64, err error) ([]byte, bool) {
	e := lineError{Class: do.class, Line: line, Message: lineProblem(err).Error(), Pointer: pointerOf(err)}
	var text *fingerprint.Error
	var annotate *annotateError
	switch {
	case errors.As(err, &text):
		if text.Class == fingerprint.Disagreement {
			return out, false
		}
		e.Class = strings.ReplaceAll(strings.ToLower(string(text.Class)), " ", "-")
		if err == error(text) {
			e.Message = text.WithoutValue().Error()
		}
	case errors.As(err, &annotate):
		e.Class = classAnnotate
	case errors.Is(err, stream.ErrLongLine):
		e.Class = classLong
	case ofInput(err):
		return out, false
	}
	object, err := jsonLine(errorObject{e})
	if err != nil {
		return out, false
	}
	return append(out, bytes.TrimSuffix(object, []byte("\n"))...), true
}

// maxPointer bounds the pointer of an error object, in bytes: cut it would name
// another place.
const maxPointer = 4096

// pointerOf gives the exact place in the text that an error is of, if it tells:
// the recipe's own pointers are exact as they are shown.
func pointerOf(err error) string {
	var p *problem.Error
	for at := err; errors.As(at, &p); at = p.Err {
		switch {
		case len(p.Pointer) > maxPointer:
			return ""
		case p.Pointer != "":
			return p.Pointer
		}
	}
	var text *fingerprint.Error
	if errors.As(err, &text) {
		return "" // what it shows is for people
	}
	return whereOf(err, "/")
}

// ofInput says whether an error is of an input, which every payload shares.
func ofInput(err error) bool { return whereOf(err, "input ") != "" }

// whereOf gives the first place in an error's chain that begins with something,
// "" where none does.
func whereOf(err error, head string) string {
	var p *problem.Error
	for errors.As(err, &p) {
		if strings.HasPrefix(p.Where, head) {
			return p.Where
		}
		err = p.Err
	}
	return ""
}

// annotateError is of a record that takes no member.
type annotateError struct{ error }

func (e *annotateError) Unwrap() error { return e.error }

// annotating puts what another work makes of a record into it.
func annotating(a *fingerprint.Annotator, work stream.Work) stream.Work {
	if a == nil {
		return work
	}
	var result []byte
	return func(out, line []byte) ([]byte, error) {
		var err error
		if result, err = work(result[:0], line); err != nil {
			return out, err
		}
		if out, err = a.Append(out, line, result); err != nil {
			return out, &annotateError{err}
		}
		return out, nil
	}
}
