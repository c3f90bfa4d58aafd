package fingerprint

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Class is why a text is refused.
type Class string

// The reasons for refusing a text. All but LossyNumber hold in every number
// mode; LossyNumber is refused under Strict alone. Disagreement says nothing of
// the text: two engines differ on it, and nothing is made of what either says.
const (
	NumberSyntax  Class = "number syntax"
	DuplicateName Class = "duplicate name"
	LoneSurrogate Class = "lone surrogate"
	InvalidUTF8   Class = "invalid UTF-8"
	ByteOrderMark Class = "byte order mark"
	Literal       Class = "literal"
	Syntax        Class = "syntax"
	TrailingData  Class = "trailing data"
	ControlChar   Class = "control character"
	Empty         Class = "empty"
	UnexpectedEnd Class = "unexpected end"
	TooDeep       Class = "too deep"
	OutOfRange    Class = "number out of range"
	LossyNumber   Class = "lossy number"
	Disagreement  Class = "disagreement"
)

// Error says why a JSON text or value was refused, and where. errors.As finds
// a *problem.Error in it, which carries the hint.
type Error struct {
	Class   Class
	Offset  int64  // bytes from 0; -1 for a value that was built, not read
	Line    int    // from 1; 0 where unknown
	Column  int    // in characters, from 1
	Pointer string // RFC 6901 text of the value or member at fault; empty for the whole text and where only the offset tells
	Detail  string // what is wrong, without any value of the text
	Literal string // the number at fault; empty where there is none, or where it must not be shown
	Becomes string // the canonical form that a lossy number would take; empty like Literal
	hint    string

	byOffset bool // a place in the text says more than the path to it
	again    bool // the offset tells something beside the path: where a name stands again
}

// Error gives "place: what"; a long literal is cut.
func (e *Error) Error() string { return e.problem().Error() }

// Unwrap gives the same as a problem, with its hint.
func (e *Error) Unwrap() error { return e.problem() }

func (e *Error) problem() *problem.Error {
	what, where, pointer := e.Detail, e.where(), ""
	if e.again && strings.HasPrefix(where, "/") {
		what += fmt.Sprintf(" (again at byte %d)", e.Offset)
	}
	if e.Literal != "" {
		what += ": " + cut(Printable(e.Literal), shownLength)
	}
	if e.Becomes != "" {
		what += " would become " + cut(e.Becomes, shownLength)
	}
	if !e.byOffset && len(e.Pointer) <= maxPointer {
		pointer = maskedPointer(e.Pointer)
	}
	return &problem.Error{Where: where, Pointer: pointer, What: what, Hint: e.hint}
}

// where prefers the pointer: it still says something after the file was edited.
func (e *Error) where() string {
	if !e.byOffset && e.Pointer != "" && len(e.Pointer) <= maxShownPointer {
		return Printable(maskedPointer(e.Pointer))
	}
	if e.Offset < 0 {
		return ""
	}
	if e.Line > 1 {
		return fmt.Sprintf("byte %d (line %d, column %d)", e.Offset, e.Line, e.Column)
	}
	return fmt.Sprintf("byte %d", e.Offset)
}

// maskedPointer shows a pointer without the names in it that are private.
func maskedPointer(text string) string {
	p, err := ParsePointer(text)
	if err != nil {
		return text
	}
	return maskNames(p)
}

// WithoutValue gives the same error with no value of the text in it.
func (e *Error) WithoutValue() *Error {
	c := *e
	c.Literal, c.Becomes = "", ""
	return &c
}

// withoutValue is WithoutValue for an error that may be of another kind. Names
// are left out too: nobody who calls it knows which of them are sensitive.
func withoutValue(err error) error {
	var e *Error
	if errors.As(err, &e) {
		c := e.WithoutValue()
		c.byOffset = true
		return c
	}
	return err
}

// IsDisagreement says whether an error is that of two engines that differ.
func IsDisagreement(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Class == Disagreement
}

// Mask takes the value out of an error that lies in a sensitive place, and cuts
// its pointer there: a name below may be what must not be shown. Other errors
// come back unchanged.
func Mask(err error, sensitive []Pointer) error {
	var e *Error
	if !errors.As(err, &e) || len(sensitive) == 0 {
		return err
	}
	place, perr := ParsePointer(e.Pointer)
	if perr != nil {
		c := e.WithoutValue()
		c.Pointer = ""
		return c
	}
	covered, kept := false, len(place)
	for _, s := range sensitive {
		if s.Covers(place) {
			covered, kept = true, min(kept, len(s))
		}
	}
	if !covered {
		return err
	}
	c := e.WithoutValue()
	if kept < len(place) {
		c.Pointer = append(place[:kept:kept], masked).String()
	}
	return c
}

const (
	shownLength     = 40  // determ-v1, Admission and numbers: others are cut at 40 characters
	maxShownPointer = 300 // beyond it the byte offset helps a person more
	maxPointer      = 4096
)

// cut shortens s to n characters and says so.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	end := 0
	for i := range s {
		if n == 0 {
			end = i
			break
		}
		n--
	}
	return s[:end] + "..."
}

// Printable escapes what a terminal would act on or could not show.
func Printable(s string) string { return problem.Line(s) }
