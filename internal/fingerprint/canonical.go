package fingerprint

import (
	"fmt"
	"unicode/utf8"
)

// Canonical admits a text and gives its RFC 8785 bytes. Under Strict a number
// that they would change is an *Error with Class LossyNumber; a text that is
// not admitted is told first.
func Canonical(src []byte, n Numbers) ([]byte, error) {
	c := Canonicaliser{Numbers: n}
	return c.Append(nil, src)
}

// Canonical gives the RFC 8785 bytes of a value. at is put before the pointers
// of errors, for a value that lies inside another ("" for a whole one).
func (v *Value) Canonical(n Numbers, at string) ([]byte, error) {
	c := Canonicaliser{Numbers: n}
	return c.AppendValue(nil, v, at)
}

// AppendValue appends the RFC 8785 bytes of a value, as Value.Canonical gives
// them.
func (c *Canonicaliser) AppendValue(dst []byte, v *Value, at string) ([]byte, error) {
	w := writer{strict: c.Numbers == Strict, at: at}
	if err := w.value(v); err != nil {
		return dst, err
	}
	if c.Engine == Reference {
		return byJCS(dst, w.text)
	}
	c.own.Depth = maxBuiltDepth
	out, outcome := c.own.Append(dst, w.text)
	c.own.Depth = MaxDepth
	if c.Engine == CrossCheck {
		other, err := byJCS(nil, w.text)
		return c.crossed(dst, out, outcome, other, err)
	}
	if !c.takes(outcome) {
		return dst, disagreement("the own engine refuses a value that was admitted")
	}
	return out, nil
}

// writer spells a value as plain JSON for the engine to order. It refuses what
// only a value that was built, not read, can hold.
type writer struct {
	strict bool
	at     string
	path   []step
	text   []byte
}

// maxBuiltDepth leaves room around a payload of MaxDepth: a request
// fingerprint puts it two levels down.
const maxBuiltDepth = MaxDepth + 100

func (w *writer) value(v *Value) error {
	switch v.Kind {
	case KindNull:
		w.text = append(w.text, "null"...)
	case KindBool:
		w.text = fmt.Append(w.text, v.Bool)
	case KindNumber:
		return w.number(v)
	case KindString:
		return w.string(v.Str, v.Offset)
	case KindArray, KindObject:
		if len(w.path) == maxBuiltDepth {
			return w.fail(TooDeep, v.Offset, fmt.Sprintf("arrays and objects are nested more than %d deep", maxBuiltDepth))
		}
		if v.Kind == KindArray {
			return w.array(v)
		}
		return w.object(v)
	default:
		return w.fail(Syntax, v.Offset, "a value of no JSON kind")
	}
	return nil
}

func (w *writer) array(v *Value) error {
	w.path = append(w.path, step{})
	w.text = append(w.text, '[')
	for i, item := range v.Items {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.path[len(w.path)-1].index = i
		if err := w.value(item); err != nil {
			return err
		}
	}
	w.text = append(w.text, ']')
	w.path = w.path[:len(w.path)-1]
	return nil
}

func (w *writer) object(v *Value) error {
	w.path = append(w.path, step{index: -1})
	w.text = append(w.text, '{')
	var seen names
	for i, member := range v.Members {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.path[len(w.path)-1].name = member.Name
		if !seen.add(member.Name) {
			return w.fail(DuplicateName, v.Offset, "the object has this name twice")
		}
		if err := w.string(member.Name, v.Offset); err != nil {
			return err
		}
		w.text = append(w.text, ':')
		if err := w.value(member.Value); err != nil {
			return err
		}
	}
	w.text = append(w.text, '}')
	w.path = w.path[:len(w.path)-1]
	return nil
}

func (w *writer) number(v *Value) error {
	literal := v.Number
	if end, ok := numberEnd(literal); !ok || end != len(literal) {
		return w.fail(NumberSyntax, v.Offset, "this is not how JSON writes a number")
	}
	if !inRange(literal) {
		e := w.fail(OutOfRange, v.Offset, "number beyond the double range")
		e.Literal = literal
		return e
	}
	if w.strict && !lossless(literal) {
		e := lossyError(w.path, literal)
		e.Offset, e.Pointer = v.Offset, w.at+pointerText(w.path)
		return e
	}
	if longExponent(literal) {
		literal = readDecimal(literal).String()
	}
	w.text = append(w.text, literal...)
	return nil
}

// string escapes no more than JSON demands; the engine has the last word.
func (w *writer) string(s string, offset int64) error {
	if !utf8.ValidString(s) {
		return w.fail(InvalidUTF8, offset, "the bytes are not UTF-8")
	}
	w.text = append(w.text, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			w.text = append(w.text, '\\', c)
		case c < 0x20:
			w.text = fmt.Appendf(w.text, `\u%04x`, c)
		default:
			w.text = append(w.text, c)
		}
	}
	w.text = append(w.text, '"')
	return nil
}

func (w *writer) fail(class Class, offset int64, detail string) *Error {
	return &Error{Class: class, Offset: offset, Pointer: w.at + pointerText(w.path), Detail: detail}
}
