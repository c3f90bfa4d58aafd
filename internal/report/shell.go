package report

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"

	"github.com/idem-toolkit/idem/internal/trace"
)

// shWord is shQuote for a whole word: left bare where no shell reads anything
// into it.
func shWord(s string) string {
	if s != "" && only(s, "_./:=@%+,-") {
		return s
	}
	return shQuote(s)
}

// only says that s is of ASCII letters, digits and the others given.
func only(s, others string) bool {
	for i := range len(s) {
		c := s[i]
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte(others, c) >= 0) {
			return false
		}
	}
	return true
}

// isToken knows a method or field name (RFC 9110, 5.6.2).
func isToken(s string) bool { return s != "" && only(s, "!#$%&'*+-.^_`|~") }

// A trace keeps a secret's name between these instead of the secret.
const (
	maskOpens  = "«"
	maskCloses = "»"
)

// masks gives where the masks of s begin and end.
func masks(s string) [][2]int {
	var found [][2]int
	for at := 0; ; {
		open := strings.Index(s[at:], maskOpens)
		if open < 0 {
			return found
		}
		open += at
		at = open + len(maskOpens)
		length := strings.Index(s[at:], maskCloses)
		if length > 0 && !strings.Contains(s[at:at+length], maskOpens) {
			at += length + len(maskCloses)
			found = append(found, [2]int{open, at})
		}
	}
}

// variable makes a shell variable's name of a mask's label.
func variable(label string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && only(string(r), "") {
			return unicode.ToUpper(r)
		}
		return '_'
	}, label)
}

// shQuote gives a POSIX shell word with exactly the bytes of s (2.2.2, Single-
// Quotes). What is not plain text is spelled in octal by printf, so that a
// script is readable and survives any copying; a line break at the end of s
// would be lost there, and NUL cannot be in a word at all.
func shQuote(s string) string {
	if isClean(s) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString(`"$(printf '`)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case strings.IndexByte("'\"\\%$`", c) >= 0 || c < 0x20 || c >= 0x7f || c == '-' && i == 0:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteString(`')"`)
	return b.String()
}

func base64Of(raw []byte) string { return base64.StdEncoding.EncodeToString(raw) }

// bodyBytes gives the bytes of a body and whether they are the very bytes
// that travelled: neither truncated nor masked, which changes the length.
func bodyBytes(b trace.Body) ([]byte, bool) {
	raw := []byte(b.Head)
	if b.Base64 {
		var err error
		if raw, err = base64.StdEncoding.DecodeString(b.Head); err != nil {
			return nil, false
		}
	}
	return raw, !b.Truncated && int64(len(raw)) == b.Size
}
