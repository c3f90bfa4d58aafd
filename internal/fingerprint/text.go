package fingerprint

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string with its quotes and gives it unescaped. What needs no
// unescaping shares the text's memory.
func (r *reader) string() (string, error) {
	open := r.at
	r.at++
	start := r.at
	var unescaped strings.Builder
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			part := r.text[start:r.at]
			r.at++
			if unescaped.Len() == 0 {
				return part, nil
			}
			unescaped.WriteString(part)
			return unescaped.String(), nil
		case c == '\\':
			unescaped.WriteString(r.text[start:r.at])
			char, err := r.escape()
			if err != nil {
				return "", err
			}
			unescaped.WriteRune(char)
			start = r.at
		case c < 0x20:
			return "", r.fail(ControlChar, r.at, "a control character stands in a string without being escaped")
		case c < utf8.RuneSelf:
			r.at++
		default:
			char, size := utf8.DecodeRuneInString(r.text[r.at:])
			if char == utf8.RuneError && size == 1 {
				return "", r.fail(InvalidUTF8, r.at, "the bytes are not UTF-8")
			}
			r.at += size
		}
	}
	return "", r.fail(UnexpectedEnd, r.at, "the text ends inside the string that starts at byte %d", open)
}

// escape reads one escape, or two that are a surrogate pair.
func (r *reader) escape() (rune, error) {
	start := r.at
	if r.at+1 == len(r.text) {
		return 0, r.fail(UnexpectedEnd, len(r.text), "the text ends inside an escape")
	}
	c := r.text[r.at+1]
	r.at += 2
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		return 0, r.fail(Syntax, start, "JSON has no such escape")
	}
	unit, err := r.codeUnit()
	if err != nil || !utf16.IsSurrogate(unit) {
		return unit, err
	}
	if unit < 0xDC00 && strings.HasPrefix(r.text[r.at:], `\u`) {
		r.at += 2
		low, err := r.codeUnit()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(unit, low); pair != utf8.RuneError {
			return pair, nil
		}
	}
	return 0, r.fail(LoneSurrogate, start, "half of a surrogate pair stands alone")
}

// codeUnit reads the four hexadecimal digits after \u.
func (r *reader) codeUnit() (rune, error) {
	unit := rune(0)
	for range 4 {
		if r.at == len(r.text) {
			return 0, r.fail(UnexpectedEnd, r.at, "the text ends inside an escape")
		}
		digit := hexDigit(r.text[r.at])
		if digit < 0 {
			return 0, r.fail(Syntax, r.at, `\u takes four hexadecimal digits`)
		}
		unit = unit<<4 | rune(digit)
		r.at++
	}
	return unit, nil
}

// hexDigit gives the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// number reads a number literal and sees that a double can be nearest to it.
func (r *reader) number() (*Value, error) {
	start := r.at
	length, ok := numberEnd(r.text[start:])
	r.at += length
	if !ok && r.at == len(r.text) {
		return nil, r.fail(UnexpectedEnd, r.at, "the text ends inside a number")
	}
	follows := r.at < len(r.text) && continuesWord(r.text[r.at])
	if ok && follows && (r.text[r.at] < '0' || r.text[r.at] > '9') {
		return nil, r.fail(NumberSyntax, r.at, "something follows the number that starts at byte %d", start)
	}
	if !ok || follows { // a digit follows a leading zero alone
		e := r.fail(NumberSyntax, start, "this is not how JSON writes a number")
		e.hint = "digits with no leading zero or plus, a digit on both sides of the point: 0.5, -12, 1e3"
		return nil, e
	}
	literal := r.text[start:r.at]
	if !inRange(literal) {
		e := r.fail(OutOfRange, start, "number beyond the double range")
		if Looks(nameOf(r.path), &Value{Kind: KindNumber, Number: literal}) == "" {
			e.Literal = literal
		}
		e.hint = "carry the number as a string"
		return nil, e
	}
	if longExponent(literal) {
		r.longExponent = true
	}
	if r.strict && r.lossy == nil && !lossless(literal) {
		r.lossy = lossyError(r.path, literal)
		placed := r.fail(LossyNumber, start, "")
		r.lossy.Offset, r.lossy.Line, r.lossy.Column = placed.Offset, placed.Line, placed.Column
		r.lossy.Pointer = placed.Pointer
	}
	if r.looking {
		if err := r.look(&Value{Kind: KindNumber, Number: literal}); err != nil {
			return nil, err
		}
	}
	if !r.keep {
		return nil, nil
	}
	return &Value{Kind: KindNumber, Number: literal, Offset: int64(start)}, nil
}

// lossyError says that a number cannot be kept apart from its neighbours.
func lossyError(path []step, literal string) *Error {
	e := &Error{
		Class: LossyNumber, Offset: -1, Detail: "number that the canonical form would change",
		hint: "carry it as a string, or accept the rounding with numbers ieee754",
	}
	if Looks(nameOf(path), &Value{Kind: KindNumber, Number: literal}) == "" {
		e.Literal = literal
		e.Becomes, _ = canonicalNumber(literal)
	}
	return e
}

func continuesWord(c byte) bool {
	return c == '.' || c == '+' || c == '-' || c == '_' ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// literal reads true, false or null. Other bare words are named in the error
// only where they are well known: an unknown one may be a secret.
func (r *reader) literal() (*Value, error) {
	start := r.at
	end := start
	for end < len(r.text) && continuesWord(r.text[end]) {
		end++
	}
	word := r.text[start:end]
	r.at = end
	v := Value{Offset: int64(start)}
	switch word {
	case "true":
		v.Kind, v.Bool = KindBool, true
		return &v, nil
	case "false":
		v.Kind = KindBool
		return &v, nil
	case "null":
		return &v, nil
	case "":
		return nil, r.unexpected("a value belongs here")
	}
	if end == len(r.text) && startsLiteral(word) {
		return nil, r.fail(UnexpectedEnd, end, "the text ends inside true, false or null")
	}
	for _, known := range []string{"NaN", "Infinity", "undefined", "None", "nil", "True", "False", "TRUE", "FALSE", "NULL"} {
		if word == known {
			return nil, r.fail(Literal, start, "JSON has no %s", known)
		}
	}
	return nil, r.fail(Literal, start, "a bare word is no JSON value")
}

func startsLiteral(word string) bool {
	return strings.HasPrefix("true", word) || strings.HasPrefix("false", word) || strings.HasPrefix("null", word)
}
