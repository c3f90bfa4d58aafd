package problem

import (
	"strings"
	"unicode"
)

// Nearest gives the word that a misspelled one most likely meant, "" where
// none is near: at most a third of its letters, and no more than three, may
// be wrong, missing, added or swapped, or else it is the beginning of one word
// alone. Capitals count as small letters.
func Nearest(s string, words []string) string {
	if len(s) > 64 {
		return ""
	}
	best, least, begun := "", len(s)/3+1, []string(nil)
	for _, w := range words {
		if len(s) > 2 && strings.HasPrefix(strings.ToLower(w), strings.ToLower(s)) {
			begun = append(begun, w)
		}
		if d := Distance(strings.ToLower(s), strings.ToLower(w)); d < least && d <= 3 {
			best, least = w, d
		}
	}
	if best == "" && len(begun) == 1 {
		return begun[0]
	}
	return best
}

// Meaning gives the problem, which is of a word that is none of those known,
// the one that was most likely meant as its hint, or else all of them.
func (e *Error) Meaning(word string, known []string) *Error {
	return e.MeaningOr(word, known, "one of %s", strings.Join(known, ", "))
}

// MeaningOr is Meaning with a hint of its own where no word is near.
func (e *Error) MeaningOr(word string, known []string, otherwise string, args ...any) *Error {
	if near := Nearest(word, known); near != "" {
		return e.WithHint("did you mean %q?", near)
	}
	return e.WithHint(otherwise, args...)
}

// Plain says whether a shell takes a word for itself, without quotes.
func Plain(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("/._-+@%:,=", c)
	})
}

// Distance is the optimal string alignment distance of two short words, in
// bytes: how many are wrong, missing, added or swapped with the next.
func Distance(a, b string) int {
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
