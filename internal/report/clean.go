package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/problem"
)

// clean shows text that somebody else wrote (a server, a file) as nothing but
// text: what a terminal or a reader's eye would obey (control characters,
// escape sequences, direction marks, invisible characters) is spelled out, and
// so are bytes that are not UTF-8. The result is one line.
func clean(s string) string { return problem.Line(s) }

// isClean says that clean would leave s as it is.
func isClean(s string) bool { return clean(s) == s }

// printable leaves letters, marks, digits, punctuation, symbols and the space.
// Format characters (direction marks, joiners), private use and the other
// spaces are not among them.
func printable(r rune) bool { return unicode.IsPrint(r) }

// cleanLines is clean for text that may keep its line breaks.
func cleanLines(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := range lines {
		lines[i] = clean(strings.TrimSuffix(lines[i], "\r"))
	}
	return lines
}

// cut shortens to at most n characters, the last of them "..." where it did.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:max(n-3, 0)]) + "..."
}

// Wrap breaks text at spaces into lines of at most width characters; a longer
// word has a line of its own.
func Wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case line == "":
			line, length = word, n
		case length+1+n <= width:
			line, length = line+" "+word, length+1+n
		default:
			lines = append(lines, line)
			line, length = word, n
		}
	}
	return append(lines, line)
}

// fold is Wrap that also breaks words which are longer than a line, so that a
// terminal does not: bodies have no spaces.
func fold(text string, width int) []string {
	width = max(width, 8)
	var lines []string
	for _, line := range Wrap(text, width) {
		rest := []rune(line)
		for len(rest) > width {
			n := breakAt(rest[:width])
			lines = append(lines, string(rest[:n]))
			rest = rest[n:]
		}
		lines = append(lines, string(rest))
	}
	return lines
}

// breakAt is where a long word is broken: after the last comma of its second
// half, as JSON has them, else at its end.
func breakAt(word []rune) int {
	for n := len(word); n > len(word)/2; n-- {
		if word[n-1] == ',' {
			return n
		}
	}
	return len(word)
}

// pad fills s with spaces to n characters.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(n-utf8.RuneCountInString(s), 0))
}

// plural counts things: "1 effect", "2 effects".
func plural[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// plainly is plural without the number: "control", "controls".
func plainly(n int, one string) string {
	if n == 1 {
		return one
	}
	return one + "s"
}
