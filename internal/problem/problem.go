// Package problem is the one way in which idem says that something is wrong.
//
// A message is lower case, has no full stop, and says what is wrong and where:
// file, line and column, JSON pointer, byte offset or step. The hint, where
// there is one, is a corrected command or file line. Neither may hold a secret
// or a value that a recipe or contract calls sensitive.
package problem

import (
	"errors"
	"fmt"
)

// Error is a problem with what the user gave: a file, a flag, a payload.
type Error struct {
	Where   string // "recipe.yaml:3:5", "/cart/id", "byte 12"; empty where there is no place
	Pointer string // the place in a payload as an exact JSON Pointer, for programs, where Where is spelled for people; private names masked
	What    string // lower case, no full stop
	Hint    string // a corrected command or line; empty where there is none
	Err     error  // the cause, for errors.Is and errors.As; its text is not shown
}

// New makes a problem at a place; where may be empty.
func New(where, format string, args ...any) *Error {
	return &Error{Where: where, What: fmt.Sprintf(format, args...)}
}

// WithHint returns the same problem with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Because returns the same problem with a cause, whose hint is shown where the
// problem has none of its own.
func (e *Error) Because(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// Error gives "where: what".
func (e *Error) Error() string {
	if e.Where == "" {
		return e.What
	}
	return e.Where + ": " + e.What
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint gives the hint of the first problem in err's chain that has one.
func Hint(err error) string {
	for err != nil {
		var p *Error
		if !errors.As(err, &p) {
			return ""
		}
		if p.Hint != "" {
			return p.Hint
		}
		err = p.Err
	}
	return ""
}
