package fingerprint

import (
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// A decimal is the exact value of a number literal: 0.digits x 10^exponent.
type decimal struct {
	negative bool
	digits   string // no zero at either end; empty for zero
	exponent int64
}

// exponentBound is far beyond what any double or any text's length can undo.
const exponentBound = 1 << 50

// readDecimal takes a literal apart. It is linear in its length, whatever the
// exponent says; the literal must follow the grammar of RFC 8259 section 6.
func readDecimal(literal string) decimal {
	var d decimal
	mantissa, exponent := literal, int64(0)
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, exponent = literal[:i], readExponent(literal[i+1:])
	}
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	d.exponent = int64(len(whole)) + exponent
	if whole == "" {
		trimmed := strings.TrimLeft(fraction, "0")
		d.exponent -= int64(len(fraction) - len(trimmed))
		fraction = trimmed
	}
	d.digits = strings.TrimRight(whole+fraction, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

func readExponent(s string) int64 {
	negative := s[0] == '-'
	n := int64(0)
	for i := 0; i < len(s); i++ {
		if s[i] < '0' {
			continue // the sign
		}
		if n = n*10 + int64(s[i]-'0'); n > exponentBound {
			n = exponentBound
		}
	}
	if negative {
		return -n
	}
	return n
}

// String spells the value with an exponent that is never larger than it must be.
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	var b strings.Builder
	if d.negative {
		b.WriteByte('-')
	}
	b.WriteByte(d.digits[0])
	if len(d.digits) > 1 {
		b.WriteByte('.')
		b.WriteString(d.digits[1:])
	}
	b.WriteByte('e')
	b.WriteString(strconv.FormatInt(d.exponent-1, 10))
	return b.String()
}

// float gives the nearest double; false where the value lies beyond the range.
// strconv alone would misread exponents of five digits and more that a long
// mantissa undoes, so the exponent is settled first.
func (d decimal) float() (float64, bool) {
	switch {
	case d.digits == "" || d.exponent < -400:
		return 0, true
	case d.exponent > 400:
		return 0, false
	}
	f, err := strconv.ParseFloat(d.String(), 64)
	return f, err == nil
}

// canonicalNumber writes a literal as RFC 8785 section 3.2.2.3 does; false
// where it lies beyond the double range.
func canonicalNumber(literal string) (string, bool) {
	f, ok := readDecimal(literal).float()
	if !ok {
		return "", false
	}
	text, ok := canon.AppendFloat(nil, f)
	return string(text), ok
}

// inRange says whether a double can be nearest to the literal at all.
func inRange(literal string) bool {
	if len(literal) < 300 && !strings.ContainsAny(literal, "eE") {
		return true
	}
	_, ok := readDecimal(literal).float()
	return ok
}

// lossless says whether the canonical form is numerically equal to the
// literal. Up to 15 significant digits a double always gives them back, as
// long as it is a normal one.
func lossless(literal string) bool {
	if len(literal) <= 15 && !strings.ContainsAny(literal, "eE") {
		return true
	}
	d := readDecimal(literal)
	if len(d.digits) <= 15 && d.exponent > -300 && d.exponent < 300 {
		return true
	}
	// The shortest digits of the double, whoever writes them as RFC 8785 does.
	f, ok := d.float()
	return ok && readDecimal(strconv.FormatFloat(f, 'e', -1, 64)) == d
}

// longExponent says whether a reader that bounds its exponents could misread
// the literal.
func longExponent(literal string) bool {
	i := strings.IndexAny(literal, "eE")
	return i >= 0 && len(literal)-i > 5
}

// numberEnd gives the end of the number at the start of s and whether it
// follows the grammar of RFC 8259 section 6. Where it does not, end is the
// first byte that does not fit.
func numberEnd(s string) (end int, ok bool) {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i < len(s) && s[i] == '0':
		i++
	case i < len(s) && s[i] >= '1' && s[i] <= '9':
		i = digitsEnd(s, i)
	default:
		return i, false
	}
	if i < len(s) && s[i] == '.' {
		start := i + 1
		if i = digitsEnd(s, start); i == start {
			return i, false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		start := i
		if i = digitsEnd(s, start); i == start {
			return i, false
		}
	}
	return i, true
}

func digitsEnd(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}
