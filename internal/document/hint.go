package document

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShown is how many characters of a value an error shows (determ-v1,
// Admission and numbers).
const maxShown = 40

// Show quotes a word of the user's for an error: cut at 40 characters, control
// characters escaped, key material masked.
func Show(s string) string {
	if looksSecret(s) {
		return "«secret»"
	}
	return strconv.Quote(clip(s))
}

func clip(s string) string {
	if utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	return string([]rune(s)[:maxShown]) + "..."
}

// looksSecret knows key lines that were put where a word belongs.
func looksSecret(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "idemkey1-") || strings.Contains(s, "idemkeyx1-") || strings.Contains(s, "idemsub1-")
}
