package probe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// otherValue gives another value of the same type that an API is likely to
// accept. Whether it does is what the mutation control is for.
func otherValue(v *fingerprint.Value) *fingerprint.Value {
	c := &fingerprint.Value{Kind: v.Kind}
	switch v.Kind {
	case fingerprint.KindBool:
		c.Bool = !v.Bool
	case fingerprint.KindNumber:
		c.Number = otherNumber(v.Number)
	case fingerprint.KindNull:
		return fingerprint.String("idem")
	default:
		c.Str = otherText(v.Str)
	}
	return c
}

func otherNumber(literal string) string {
	if n, err := strconv.ParseInt(literal, 10, 53); err == nil {
		return strconv.FormatInt(n+1, 10)
	}
	if f, err := strconv.ParseFloat(literal, 64); err == nil && f == f+1 {
		return strconv.FormatFloat(f/2, 'g', -1, 64)
	} else if err == nil {
		return strconv.FormatFloat(f+1, 'f', -1, 64)
	}
	return "1"
}

// otherText keeps the form of a text: another currency for a currency, another
// digit for the last digit, another letter for the last letter.
func otherText(s string) string {
	switch s {
	case "":
		return "idem"
	case "EUR":
		return "USD"
	case "eur":
		return "usd"
	}
	if len(s) == 3 && strings.ToUpper(s) == s && isLetters(s) {
		return "EUR"
	}
	if len(s) == 3 && strings.ToLower(s) == s && isLetters(s) {
		return "eur"
	}
	b := []byte(s)
	for i := len(b) - 1; i >= 0; i-- {
		if next, ok := otherByte(b[i]); ok {
			b[i] = next
			return string(b)
		}
	}
	return s + "-2"
}

func isLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

func otherByte(c byte) (byte, bool) {
	switch {
	case c == 'f', c == 'F': // the last digit of a hexadecimal text
		return c - 1, true
	case c >= '0' && c <= '8', c >= 'a' && c <= 'y', c >= 'A' && c <= 'Y':
		return c + 1, true
	case c == '9':
		return '1', true
	case c == 'z':
		return 'a', true
	case c == 'Z':
		return 'A', true
	}
	return c, false
}

// otherHeader gives header fields with another value of one of them, or with
// that field where it is not among them.
func otherHeader(headers [][2]string, name string) [][2]string {
	out := slices.Clone(headers)
	for i, h := range out {
		if strings.EqualFold(h[0], name) {
			out[i][1] = otherText(h[1])
			return out
		}
	}
	return append(out, [2]string{name, "idem"})
}
