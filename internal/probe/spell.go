package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// jsonStyle is one spelling of the same JSON value.
type jsonStyle struct {
	reversed func(pointer string) bool   // whose members stand in reversed order; nil: nobody's
	spaces   bool                        // white space wherever it may stand (RFC 8259, 2), around the whole by draft.spelt
	escape   func(r rune) (string, bool) // how a character of a name or string is escaped; nil: as it must be
	number   func(literal string) string // nil: as it was written
}

// everywhere reverses the members of every object.
func everywhere(string) bool { return true }

// only reverses the members of one object.
func only(pointer string) func(string) bool {
	return func(p string) bool { return p == pointer }
}

// escaped writes characters as \uXXXX (RFC 8259, 7), those beyond the basic
// plane as two surrogates. Letters gives the digits: "%04x" or "%04X".
func escaped(letters string, which func(r rune) bool) func(rune) (string, bool) {
	return func(r rune) (string, bool) {
		if !which(r) {
			return "", false
		}
		if one, two := utf16.EncodeRune(r); one != utf8.RuneError {
			return fmt.Sprintf(`\u`+letters+`\u`+letters, one, two), true
		}
		return fmt.Sprintf(`\u`+letters, r), true
	}
}

// solidus writes / as \/.
func solidus(r rune) (string, bool) { return `\/`, r == '/' }

func anyRune(rune) bool       { return true }
func beyondPlane(r rune) bool { return r > 0xffff }

// writeJSON writes a value in a style.
func writeJSON(buf *bytes.Buffer, v *fingerprint.Value, s jsonStyle) {
	w := jsonWriter{buf, s}
	w.value(v, "")
}

type jsonWriter struct {
	*bytes.Buffer
	style jsonStyle
}

func (w jsonWriter) value(v *fingerprint.Value, here string) {
	switch v.Kind {
	case fingerprint.KindNull:
		w.WriteString("null")
	case fingerprint.KindBool:
		w.WriteString(strconv.FormatBool(v.Bool))
	case fingerprint.KindNumber:
		if w.style.number != nil {
			w.WriteString(w.style.number(v.Number))
			return
		}
		w.WriteString(v.Number)
	case fingerprint.KindString:
		w.text(v.Str)
	case fingerprint.KindArray:
		w.WriteByte('[')
		for i, item := range v.Items {
			w.separate(i)
			w.value(item, here+"/"+strconv.Itoa(i))
		}
		w.closing(']')
	case fingerprint.KindObject:
		w.object(v, here)
	}
}

func (w jsonWriter) object(v *fingerprint.Value, here string) {
	w.WriteByte('{')
	reversed := w.style.reversed != nil && w.style.reversed(here)
	for i := range v.Members {
		m := v.Members[i]
		if reversed {
			m = v.Members[len(v.Members)-1-i]
		}
		w.separate(i)
		w.text(m.Name)
		if w.style.spaces {
			w.WriteByte(' ')
		}
		w.WriteByte(':')
		if w.style.spaces {
			w.WriteByte('\t')
		}
		w.value(m.Value, here+"/"+escapeToken(m.Name))
	}
	w.closing('}')
}

func (w jsonWriter) separate(i int) {
	if i > 0 {
		w.WriteByte(',')
	}
	if w.style.spaces {
		w.WriteString("\r\n  ")
	}
}

func (w jsonWriter) closing(c byte) {
	if w.style.spaces {
		w.WriteByte('\n')
	}
	w.WriteByte(c)
}

// text writes a string; what the style does not escape is written as
// encoding/json does without HTML in mind.
func (w jsonWriter) text(s string) {
	if w.style.escape == nil {
		w.Write(quoted(s))
		return
	}
	w.WriteByte('"')
	for _, r := range s {
		if own, ok := w.style.escape(r); ok {
			w.WriteString(own)
			continue
		}
		q := quoted(string(r))
		w.Write(q[1 : len(q)-1])
	}
	w.WriteByte('"')
}

func quoted(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string always encodes; Encode adds a newline that is dropped.
	_ = enc.Encode(s)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// withFraction writes a whole number with a fraction of nothing: 1999.0.
func withFraction(literal string) string {
	if strings.ContainsAny(literal, ".eE") {
		return literal
	}
	return literal + ".0"
}

// withExponent writes a whole number with an exponent: 1.999e3.
func withExponent(literal string) string {
	if strings.ContainsAny(literal, ".eE") {
		return literal
	}
	sign, digits := "", literal
	if literal[0] == '-' {
		sign, digits = "-", literal[1:]
	}
	mantissa := digits[:1]
	if rest := strings.TrimRight(digits[1:], "0"); rest != "" {
		mantissa += "." + rest
	}
	return sign + mantissa + "e" + strconv.Itoa(len(digits)-1)
}
