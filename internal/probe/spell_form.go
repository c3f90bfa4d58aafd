package probe

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// formStyle is one spelling of the same form (application/x-www-form-urlencoded,
// in the URL Standard): its fields with their values, those of one name in order.
type formStyle struct {
	reversed bool   // names stand in reversed order; fields of one name keep theirs
	encoded  string // how a byte that need not be encoded is, all the same: "%%%02X"; empty: not
	small    bool   // where a byte must be encoded, its digits are small letters
	space    bool   // a space is %20, not +
}

// formSpellings are the other spellings that a form may have. What must be
// encoded is so in all of them, so that each is a form like any other.
var formSpellings = []spelling{
	{name: fieldOrder, form: formStyle{reversed: true}},
	{name: percents, form: formStyle{encoded: "%%%02X", space: true}},
	{name: smallDigits, form: formStyle{encoded: "%%%02x", small: true, space: true}},
	{name: spacesAs20, form: formStyle{space: true}},
	{name: allTogether, form: formStyle{reversed: true, encoded: "%%%02x", small: true, space: true}},
}

func writeForm(fields [][2]string, s formStyle) string {
	if s.reversed {
		fields = turnedFields(fields)
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = s.text(f[0]) + "=" + s.text(f[1])
	}
	return strings.Join(parts, "&")
}

// turnedFields reverses the order of names. Fields that share one are a list,
// whose order means something.
func turnedFields(fields [][2]string) [][2]string {
	place := map[string]int{}
	for _, f := range fields {
		if _, known := place[f[0]]; !known {
			place[f[0]] = len(place)
		}
	}
	out := slices.Clone(fields)
	slices.SortStableFunc(out, func(a, b [2]string) int { return place[b[0]] - place[a[0]] })
	return out
}

// text writes a name or a value.
func (s formStyle) text(t string) string {
	var b strings.Builder
	for i := range len(t) {
		c := t[i : i+1]
		plain := url.QueryEscape(c)
		switch {
		case c == " " && s.space:
			b.WriteString("%20")
		case plain == c && s.encoded != "":
			fmt.Fprintf(&b, s.encoded, c[0])
		case s.small && len(plain) == len("%2d"):
			b.WriteString(strings.ToLower(plain))
		default:
			b.WriteString(plain)
		}
	}
	return b.String()
}
