package fingerprint

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// alike says in which way two different strings differ, where a person who
// looks at both might see no difference or think that it does not count.
func alike(a, b string) (Change, string) {
	if len(a) > maxLooksAt || len(b) > maxLooksAt {
		return Changed, ""
	}
	why := sameLook(a, b)
	if why == sameNormalForm {
		return UnicodeForm, why
	}
	if why == "" && sameNumberText(a, b) {
		why = "the same number as text, but text counts character by character"
	}
	if why == "" && sameInstant(a, b) {
		why = "one instant in two spellings, but text counts character by character"
	}
	return Changed, why
}

const sameNormalForm = "it looks the same, in composed and decomposed letters"

// sameLook says what alone parts two strings, or nothing where they differ
// for all to see, or not at all.
func sameLook(a, b string) string {
	switch {
	case a == b:
		return ""
	case norm.NFC.String(a) == norm.NFC.String(b):
		return sameNormalForm
	case visible(a) == visible(b):
		return "only invisible characters differ"
	case strings.TrimSpace(a) == strings.TrimSpace(b):
		return "only white space at the ends differs"
	case spaced(a) == spaced(b):
		return "only the kind or the amount of white space differs"
	case strings.EqualFold(a, b):
		return "only upper and lower case differ"
	case norm.NFKC.String(a) == norm.NFKC.String(b):
		return "only the width or style of letters differs"
	}
	return ""
}

// visible drops format characters, such as joiners and direction marks.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, s)
}

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

func sameNumberText(a, b string) bool {
	endA, okA := numberEnd(a)
	endB, okB := numberEnd(b)
	return okA && okB && endA == len(a) && endB == len(b) && readDecimal(a) == readDecimal(b)
}

// sameInstant says whether both are times with an offset (RFC 3339, section
// 5.6; seconds may be left out, as ISO 8601 has it) and mean one instant.
func sameInstant(a, b string) bool {
	x, okX := instant(a)
	y, okY := instant(b)
	return okX && okY && x.Equal(y)
}

func instant(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04Z") || len(s) > 40 {
		return time.Time{}, false
	}
	s = strings.ToUpper(s)
	if s[10] == ' ' {
		s = s[:10] + "T" + s[11:]
	}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// show gives a value as a short piece of JSON; a container only by its size.
func show(v *Value) string {
	if v == nil {
		return ""
	}
	switch v.Kind {
	case KindNull:
		return "null"
	case KindBool:
		return strconv.FormatBool(v.Bool)
	case KindNumber:
		return cut(v.Number, shownLength)
	case KindString:
		return quote(v.Str, false)
	case KindArray:
		return fmt.Sprintf("array of %d", len(v.Items))
	}
	return fmt.Sprintf("object of %d", len(v.Members))
}

// excerpts shows two strings from shortly before they part, in ASCII where
// they look the same.
func excerpts(a, b string, ascii bool) (string, string) {
	parting := 0
	for parting < len(a) && parting < len(b) && a[parting] == b[parting] {
		parting++
	}
	start := 0
	if parting > shownLength/2 {
		start = parting - shownLength/4
		for start > 0 && !utf8.RuneStart(a[start]) {
			start--
		}
	}
	before, after := quote(a[start:], ascii), quote(b[start:], ascii)
	if start > 0 {
		before, after = "..."+before, "..."+after
	}
	return before, after
}

// quote writes a string in quotes, cut to the length that may be shown.
func quote(s string, ascii bool) string {
	short := cut(s, shownLength)
	tail := ""
	if short != s {
		short, tail = strings.TrimSuffix(short, "..."), "..."
	}
	if ascii {
		return strconv.QuoteToASCII(short) + tail
	}
	return strconv.Quote(short) + tail
}
