package pack

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/determ"
)

// quoting are the quoting functions, by the name that templates call them. Each
// takes a text as it is and gives it, quotes included, for one place:
//
//	gh       in a GitHub workflow: YAML in which ${{ }} is text
//	compose  in a Compose file: YAML in which $ is text
//	sh       as one word of a POSIX shell
//	md       in Markdown, on one line
//	mdcode   in Markdown, as code on one line
//	variable the name of an environment variable, which needs no quotes
//	ignored  as a line of .gitignore: one file, from the folder of that one
func quoting() map[string]any {
	return map[string]any{"gh": quoteGitHub, "compose": quoteCompose, "sh": quoteShell, "md": quoteMarkdown, "mdcode": quoteCode, "variable": quoteVariable, "ignored": quoteIgnored}
}

// errNotText is for bytes that no text of these languages can hold.
var errNotText = errors.New("not a text in UTF-8")

// yamlText writes between double quotes, on one line: there no text is a boolean,
// a number or a comment (YAML 1.2.2, 7.3.1).
func yamlText(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", errNotText
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\x%02x`, r)
		case plain(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String(), nil
}

// plain says whether a reader sees a character for what it is: nothing that
// moves the cursor, turns the direction or ends a line.
func plain(r rune) bool { return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// quoteGitHub has GitHub write ${{ where a text has it: expressions are looked
// for in what YAML gives, whatever its quotes.
func quoteGitHub(s string) (string, error) {
	return yamlText(strings.ReplaceAll(s, "${{", "${{ '${{' }}"))
}

func quoteCompose(s string) (string, error) { return yamlText(strings.ReplaceAll(s, "$", "$$")) }

// quoteShell writes between single quotes, where nothing has a meaning (POSIX,
// Shell Command Language, 2.2.2). A word that begins with - is still a flag to
// who reads it: it goes behind -- or as a flag's value with =.
func quoteShell(s string) (string, error) {
	if strings.ContainsRune(s, 0) {
		return "", errors.New("a shell has no word with a zero byte in it")
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", nil
}

// oneLine gives a text without anything that would end its line or move the
// cursor.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if plain(r) && r != utf8.RuneError {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, " "))
}

// quoteMarkdown puts a backslash before all punctuation (CommonMark, 2.4).
func quoteMarkdown(s string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(oneLine(s)) {
		if r < 0x80 && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quoteCode fences a text with more backticks than it has in a row
// (CommonMark, 6.1).
func quoteCode(s string) string {
	s = oneLine(s)
	if strings.TrimSpace(s) == "" {
		return "(empty)"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// quoteVariable gives the name of a variable, and nothing that is none: quotes would
// not make it one.
func quoteVariable(s string) (string, error) {
	if !determ.IsEnvName(s) {
		return "", errors.New("not the name of an environment variable")
	}
	return s, nil
}

// quoteIgnored writes a path so that nothing in it is a pattern's (gitignore(5)).
func quoteIgnored(s string) (string, error) {
	if strings.ContainsAny(s, "\r\n\x00") || strings.HasSuffix(s, " ") {
		return "", errors.New("not the name of a file on one line")
	}
	return "/" + strings.NewReplacer(`\`, `\\`, "[", `\[`, "*", `\*`, "?", `\?`).Replace(s), nil
}
