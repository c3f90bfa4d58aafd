package determ

import (
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Transform is one named, frozen change of a string.
type Transform string

// The transforms of determ-v1, Steps 1.
const (
	NFC            Transform = "nfc/v1"             // Unicode 15.0.0
	Trim           Transform = "trim/v1"            // U+0009, 000A, 000D, 0020 at both ends
	ASCIILowercase Transform = "ascii-lowercase/v1" // A to Z
)

// Apply changes a valid UTF-8 string. The error of nfc/v1 names no place.
func (t Transform) Apply(s string) (string, error) {
	switch t {
	case NFC:
		return nfc(s)
	case Trim:
		return strings.Trim(s, "\t\n\r "), nil
	case ASCIILowercase:
		return strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, s), nil
	}
	return "", problem.New("", "unknown transform")
}

// nfc is Normalization Form C of Unicode 15.0.0. The library may know a later
// Unicode: normal forms of what 15.0.0 assigns never change (UAX 15, section
// 3), and everything else is refused.
func nfc(s string) (string, error) {
	for _, r := range s {
		if !isAssigned15(r) {
			return "", problem.New("", "U+%04X is not assigned in Unicode 15.0.0, so nfc/v1 cannot take it", r)
		}
	}
	composed := norm.NFC.String(s)
	// The library writes Stream-Safe Text (UAX 15, section 13): it breaks more
	// than 30 combining marks up with U+034F, which is no part of the form.
	const joiner = "\u034F"
	if strings.Count(composed, joiner) != strings.Count(s, joiner) {
		return composeFully(s), nil
	}
	return composed, nil
}

func isAssigned15(r rune) bool {
	i := sort.Search(len(assigned15)/2, func(i int) bool { return assigned15[2*i+1] >= r })
	return 2*i < len(assigned15) && assigned15[2*i] <= r
}

// composeFully is Form C by the steps of the Unicode Standard, section 3.11:
// decompose, order, compose. The library gives it the data of one character
// or two at a time, which nothing is inserted into.
func composeFully(s string) string {
	var runes []rune
	for _, r := range s {
		runes = append(runes, []rune(norm.NFD.String(string(r)))...)
	}
	orderMarks(runes)
	out := make([]rune, 0, len(runes))
	starter := -1 // in out
	blocked := uint8(0)
	for _, r := range runes {
		class := combiningClass(r)
		// D115: a mark combines with the starter unless a starter or a mark of
		// its class or a higher one stands between.
		if starter >= 0 && (len(out) == starter+1 || blocked < class) {
			if c, ok := composePair(out[starter], r); ok {
				out[starter] = c
				continue
			}
		}
		if class == 0 {
			starter = len(out)
		}
		blocked = class
		out = append(out, r)
	}
	return string(out)
}

// orderMarks sorts each run of marks by combining class, equal ones in place.
func orderMarks(runes []rune) {
	for i := 0; i < len(runes); i++ {
		if combiningClass(runes[i]) == 0 {
			continue
		}
		end := i
		for end < len(runes) && combiningClass(runes[end]) != 0 {
			end++
		}
		run := runes[i:end]
		sort.SliceStable(run, func(a, b int) bool { return combiningClass(run[a]) < combiningClass(run[b]) })
		i = end
	}
}

func combiningClass(r rune) uint8 {
	return norm.NFD.PropertiesString(string(r)).CCC()
}

func composePair(a, b rune) (rune, bool) {
	s := norm.NFC.String(string(a) + string(b))
	r, size := utf8.DecodeRuneInString(s)
	return r, size == len(s)
}
