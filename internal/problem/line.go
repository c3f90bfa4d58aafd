package problem

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// masked stands for a key line that must not be shown.
const masked = "«secret»"

// Line makes a text fit to stand on one line of a terminal, whoever wrote it:
// what a terminal would act on (control characters, C1, marks that turn the
// direction of writing) is escaped as in JSON, line breaks too, and broken
// UTF-8 as \x and two digits. Key lines (determ-v1, Keys) are masked.
func Line(s string) string { return MaskKeys(escape(s, false)) }

// Text is Line for words of several lines: line feeds stay.
func Text(s string) string { return MaskKeys(escape(s, true)) }

func escape(s string, lines bool) string {
	stays := func(r rune) bool { return unicode.IsPrint(r) || lines && r == '\n' }
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !stays(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case stays(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// MaskKeys puts a mark in the place of every key line, also one that was cut
// or stands amid other words.
func MaskKeys(s string) string {
	lower := asciiLower(s)
	var b strings.Builder
	done := 0
	for i := 0; ; {
		next := strings.Index(lower[i:], "idem")
		if next < 0 {
			break
		}
		i += next
		end := keyEnd(lower, i)
		if end == 0 {
			i++
			continue
		}
		b.WriteString(s[done:i])
		b.WriteString(masked)
		i, done = end, end
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}

// keyEnd gives the end of a key line that starts at i, 0 where none does: the
// head and at least one character of what follows it.
func keyEnd(s string, i int) int {
	for _, head := range [...]string{"idemkey1-", "idemkeyx1-", "idemsub1-"} {
		if !strings.HasPrefix(s[i:], head) {
			continue
		}
		end := i + len(head)
		for end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || s[end] >= '0' && s[end] <= '9' || s[end] == '-') {
			end++
		}
		if end > i+len(head) {
			return end
		}
	}
	return 0
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
