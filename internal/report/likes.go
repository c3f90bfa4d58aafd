package report

import (
	"fmt"
	"strings"
)

// aloneMost is how many things that differ in numbers only are told one by one.
const aloneMost = 6

// likes tells things by the text of each, in order. Of many that are alike but
// for numbers, as a thousand rounds of one kind, the first stands for all.
func likes[T any](things []T, text func(T) string) []string {
	of := map[string]int{}
	for _, thing := range things {
		of[unnumbered(text(thing))]++
	}
	var out []string
	told := map[string]bool{}
	for _, thing := range things {
		t := text(thing)
		like := unnumbered(t)
		switch n := of[like]; {
		case n <= aloneMost:
			out = append(out, t)
		case !told[like]:
			told[like] = true
			out = append(out, fmt.Sprintf("%s; and %d more like it", t, n-1))
		}
	}
	return out
}

// unnumbered is a text with one mark for each number that counts something
// through: a round, a burst, a key. Others, as how many copies there are, tell
// kinds apart.
func unnumbered(text string) string {
	words := strings.Split(text, " ")
	for i := 1; i < len(words); i++ {
		number := strings.TrimRight(words[i], ",:;")
		if counting[words[i-1]] && number != "" && strings.Trim(number, "0123456789") == "" {
			words[i] = "#" + words[i][len(number):]
		}
	}
	return strings.Join(words, " ")
}

// counting are the words that a number counts through.
var counting = map[string]bool{"round": true, "burst": true, "key": true}
