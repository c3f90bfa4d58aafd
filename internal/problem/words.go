package problem

import "strings"

// Enumerated gives "a", "a and b", "a, b and c"; nothing for nothing.
func Enumerated(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
