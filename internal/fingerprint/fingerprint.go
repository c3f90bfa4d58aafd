// Package fingerprint says when two JSON texts, or two requests, are the same.
//
// It reads top to bottom like this:
//
//   - admission (admit.go, text.go, numbers.go): one UTF-8 JSON value in which
//     nothing is ambiguous, or an error that names pointer or byte offset
//   - values and pointers (value.go, pointer.go): what was read, literals kept
//   - canonical form (engine.go, canonical.go): RFC 8785 bytes of a text or of a
//     subtree, by package canon, by gowebpki/jcs, or by both
//   - fingerprints (payload.go, request.go, query.go): determ-v1, Fingerprints v1
//   - sensitive values (sensitive.go, looks.go): what an unkeyed hash would give away
//   - difference (diff.go): where two payloads part, and how
//
// The package reads and writes nothing and knows no clock: bytes in, bytes out.
package fingerprint

import "github.com/idem-toolkit/idem/internal/fingerprint/canon"

// Numbers says what happens to a number that RFC 8785 would change.
type Numbers int

const (
	// Strict refuses a number whose canonical form is not numerically equal
	// to its literal: two payloads could share one identity otherwise
	// (determ-v1, Admission and numbers).
	Strict Numbers = iota
	// IEEE754 writes every number as the double nearest to it.
	IEEE754
)

// String gives the word that recipes and flags use: "strict" or "ieee754".
func (n Numbers) String() string {
	if n == IEEE754 {
		return "ieee754"
	}
	return "strict"
}

// ParseNumbers reads "strict" or "ieee754"; ok is false for any other word.
func ParseNumbers(word string) (n Numbers, ok bool) {
	switch word {
	case "strict":
		return Strict, true
	case "ieee754":
		return IEEE754, true
	}
	return Strict, false
}

// MaxDepth is how many arrays and objects may stand inside one another.
const MaxDepth = canon.MaxDepth
