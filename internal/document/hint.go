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

// Nearest gives the word that a misspelled one most likely meant, "" where
// none is near: at most a third of its letters, and no more than three, may
// be wrong, missing, added or swapped.
func Nearest(s string, words []string) string {
	best, least := "", len(s)/3+1
	if len(s) > 64 {
		return ""
	}
	for _, w := range words {
		if d := distance(strings.ToLower(s), w); d < least && d <= 3 {
			best, least = w, d
		}
	}
	return best
}

// distance is the optimal string alignment distance of two short words.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
