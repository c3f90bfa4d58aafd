package fingerprint

import (
	"bytes"
	"fmt"

	"github.com/gowebpki/jcs"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// Engine is who writes canonical forms. All give the same bytes; where two do
// not, one of them is broken.
type Engine int

const (
	// Own goes over a text once (package canon). Why it refuses one is found
	// out by a second reader, which also holds it to that.
	Own Engine = iota
	// Reference admits a text by that second reader and has gowebpki/jcs write it.
	Reference
	// CrossCheck runs both and refuses to go on where they differ, with an
	// *Error of Class Disagreement.
	CrossCheck
)

// ParseEngine reads "own" or "reference"; ok is false for any other word.
func ParseEngine(word string) (e Engine, ok bool) {
	switch word {
	case "own":
		return Own, true
	case "reference":
		return Reference, true
	}
	return Own, false
}

// Canonicaliser writes canonical forms of many texts with the same buffers.
// The zero value is ready: Strict, by the own engine. It is not safe for
// concurrent use.
type Canonicaliser struct {
	Numbers Numbers
	Engine  Engine

	own canon.Writer
}

// Append admits a text and appends its RFC 8785 bytes to dst, which must not
// overlap it. Under Strict a number that they would change is an *Error with
// Class LossyNumber; a text that is not admitted is told first. At an error
// dst comes back as it was.
func (c *Canonicaliser) Append(dst, src []byte) ([]byte, error) {
	if c.Engine == Reference {
		return c.reference(dst, src)
	}
	out, outcome := c.own.Append(dst, src)
	if c.Engine == CrossCheck {
		other, err := c.reference(nil, src)
		return c.crossed(dst, out, outcome, other, err)
	}
	if c.takes(outcome) {
		return out, nil
	}
	return dst, c.why(src, outcome)
}

func (c *Canonicaliser) takes(o canon.Outcome) bool {
	return o == canon.Exact || o == canon.Lossy && c.Numbers == IEEE754
}

// why goes over a text again that the own engine did not take, to say what is
// wrong and where.
func (c *Canonicaliser) why(src []byte, outcome canon.Outcome) error {
	if outcome == canon.Refused {
		if err := blank(src); err != nil {
			return err
		}
		if err := inHead(src, c.own.Stopped()); err != nil {
			return err
		}
	}
	r := reader{text: string(src), strict: true}
	_, err := r.whole()
	switch {
	case outcome == canon.Refused && err != nil:
		return err
	case outcome == canon.Lossy && err == nil && r.lossy != nil:
		return r.lossy
	case outcome == canon.Refused:
		return disagreement("the own engine refuses a text that the reference admits")
	case err != nil:
		return disagreement("the own engine admits a text that the reference refuses: %s", withoutValue(err))
	}
	return disagreement("the own engine finds a number that is not kept, and the reference none")
}

// blank gives the error of a text of nothing but white space, nil for another,
// without a copy of it.
func blank(src []byte) error {
	if len(bytes.TrimLeft(src, " \t\r\n")) > 0 {
		return nil
	}
	r := reader{}
	e := r.fail(Empty, 0, "%s", noValue)
	e.Offset = int64(len(src))
	e.Line += bytes.Count(src, []byte("\n"))
	e.Column += len(src) - 1 - bytes.LastIndexByte(src, '\n')
	return e
}

// inHead gives the error of a long text that no continuation of its head can
// mend, so that only what goes before the fault is copied. stopped is where the
// own engine found it.
func inHead(src []byte, stopped int) error {
	const margin = 64 // more than the reader looks ahead of where it is
	for n := max(1<<20, stopped+64<<10); n < len(src); n *= 8 {
		r := reader{text: string(src[:n])}
		if _, err := r.whole(); err != nil && r.at+margin < n {
			return err
		}
	}
	return nil
}

// reference is Append by the second reader and gowebpki/jcs.
func (c *Canonicaliser) reference(dst, src []byte) ([]byte, error) {
	r := reader{text: string(src), strict: c.Numbers == Strict}
	if _, err := r.whole(); err != nil {
		return dst, err
	}
	if r.lossy != nil {
		return dst, r.lossy
	}
	if r.longExponent {
		// jcs bounds exponents, so they are spelled anew.
		v, err := Parse(src)
		if err != nil {
			return dst, err
		}
		w := writer{}
		if err := w.value(v); err != nil {
			return dst, err
		}
		src = w.text
	}
	return byJCS(dst, src)
}

// byJCS has gowebpki/jcs write an admitted text.
func byJCS(dst, admitted []byte) ([]byte, error) {
	out, err := jcs.Transform(admitted)
	if err != nil {
		// What was admitted must never be refused here, so the cause is ours.
		return dst, disagreement("gowebpki/jcs refuses a text that was admitted")
	}
	return append(dst, out...), nil
}

// crossed holds what the own engine made of a text, in out behind dst, to what
// the reference did.
func (c *Canonicaliser) crossed(dst, out []byte, outcome canon.Outcome, other []byte, err error) ([]byte, error) {
	if err != nil && c.takes(outcome) {
		return dst, disagreement("the own engine takes a text that the reference refuses: %s", withoutValue(err))
	}
	if err != nil {
		return dst, err
	}
	if !c.takes(outcome) {
		return dst, disagreement("the own engine refuses a text that the reference takes")
	}
	own := out[len(dst):]
	at := 0
	for at < len(own) && at < len(other) && own[at] == other[at] {
		at++
	}
	if at < len(own) || at < len(other) {
		return dst, disagreement("canonical forms part at byte %d: the own engine wrote %d bytes, the reference %d", at, len(own), len(other))
	}
	return out, nil
}

// DisagreementOn is the error of two ways that make different things of one
// text: what names the thing, and shows nothing of the text.
func DisagreementOn(what string) error { return disagreement("%s differs", what) }

// disagreement is the error of two engines that differ. It shows nothing of
// the text.
func disagreement(format string, args ...any) *Error {
	return &Error{
		Class: Disagreement, Offset: -1,
		Detail: "cross-check: " + fmt.Sprintf(format, args...),
		hint:   "this is a fault of idem, not of the text: please report it; idem canon --engine reference does without the own engine",
	}
}
