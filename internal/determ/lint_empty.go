package determ

import (
	"strings"
	"unicode"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// emptyValue: a field that is empty tells no operations apart.
func (l *linter) emptyValue(f Field) {
	const hint = "take a field that always has a value, or refuse the payload before it gets here"
	switch v := f.Value; {
	case v.Kind == fingerprint.KindNull:
		l.about(f.Entry, "empty-value", LevelWarning, hint, "is null in the example: all operations with null there are one")
	case holdsNothing(v):
		l.about(f.Entry, "empty-value", LevelError, hint, "is empty in the example: all operations with an empty one are one")
	case isZero(v) && !countsFromZero(f.Entry):
		l.about(f.Entry, "empty-value", LevelWarning, hint, "is zero in the example, which programs take for a number that they do not have")
	}
	eachLeaf(f, func(v leaf) {
		switch {
		case v.value.Kind != fingerprint.KindString:
		case holdsNothing(v.value): // one of several, or told above
		case isLeftover(v.value.Str):
			l.about(f.Entry, "empty-value", LevelError, "fill in what the text stands for before the payload is built",
				"holds in the example what a program leaves where it put no value in: all operations with it are one")
		case holdsPlaceholder(v.value.Str):
			l.about(f.Entry, "empty-value", LevelWarning, hint, "holds a word that stands for no value in the example")
		}
	})
}

// holdsNothing: whatever it is nested in, there is no value in it.
func holdsNothing(v *fingerprint.Value) bool {
	switch v.Kind {
	case fingerprint.KindNull:
		return true
	case fingerprint.KindString:
		return strings.IndexFunc(v.Str, isVisible) < 0
	case fingerprint.KindArray, fingerprint.KindObject:
		for _, item := range v.Items {
			if !holdsNothing(item) {
				return false
			}
		}
		for _, m := range v.Members {
			if !holdsNothing(m.Value) {
				return false
			}
		}
		return true
	}
	return false
}

// isVisible says whether a character leaves ink: no space, no control, none
// that Unicode lets a display leave out.
func isVisible(r rune) bool {
	const blankBraille = '\u2800'
	return r != blankBraille && !unicode.IsSpace(r) &&
		!unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func isWordRune(r rune) bool {
	return isVisible(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// isZero takes 0 and texts of nothing but zeros.
func isZero(v *fingerprint.Value) bool {
	switch v.Kind {
	case fingerprint.KindNumber:
		mantissa, _, _ := strings.Cut(strings.ToLower(v.Number), "e")
		return strings.Trim(mantissa, "-0.") == ""
	case fingerprint.KindString:
		s := strings.TrimFunc(v.Str, func(r rune) bool { return !isVisible(r) })
		return s != "" && strings.Trim(s, "0") == ""
	}
	return false
}

// countsFromZero says whether zero is a value like any other: of amounts, and
// of what is counted.
func countsFromZero(e *Entry) bool {
	list := append(words(e.Name), words(e.Input)...)
	if n := len(e.Pointer); n > 0 {
		list = append(list, words(e.Pointer[n-1])...)
	}
	for _, w := range list {
		if vocabulary()[w]&amount != 0 {
			return true
		}
	}
	return anyOf(list, "version revision index idx sequence seq count counter line position pos page offset level rank step part leg instalment installment "+
		"cycle period slot day month hour minute attempt retry generation epoch shard partition row column seat installments")
}

// isPlaceholder takes words for nothing, and texts without a letter or digit.
func isPlaceholder(s string) bool {
	s = strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !isVisible(r) }))
	if strings.IndexFunc(s, isWordRune) < 0 {
		return true
	}
	switch strings.Trim(s, "()<>[]{}\"'") {
	case "null", "nil", "none", "undefined", "nan", "n/a", "na", "n.a.", "unknown", "todo", "tbd", "fixme", "changeme", "empty", "missing", "placeholder",
		"string", "00000000-0000-0000-0000-000000000000":
		return true
	}
	return false
}

// holdsPlaceholder also finds what programs write for no value where they put
// a text together: order-undefined, cart:None:3.
func holdsPlaceholder(s string) bool {
	if isPlaceholder(s) {
		return true
	}
	for _, piece := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("|;#,_-:/.", r) }) {
		switch piece {
		case "null", "(null)", "undefined", "None", "NaN", "nil", "<nil>":
			return true
		}
	}
	return false
}

// isLeftover finds what template languages, shells and languages leave where
// they put no value in: ${CART}, {{cart}}, [object Object], %!s(<nil>).
func isLeftover(s string) bool {
	for _, pair := range [][2]string{{"${", "}"}, {"#{", "}"}, {"{{", "}}"}, {"<%", "%>"}, {"{%", "%}"}, {"$(", ")"}, {"%(", ")s"},
		{"%!", "("}, {"[object ", "]"}, {"<no value", ">"}, {" object at 0x", ">"}, {"[native ", "]"}} {
		if _, after, found := strings.Cut(s, pair[0]); found && strings.Contains(after, pair[1]) {
			return true
		}
	}
	s = strings.TrimSpace(s)
	if len(s) < 2 {
		return false
	}
	whole := s[1:]
	switch s[0] {
	case '{':
		name, closed := strings.CutSuffix(whole, "}")
		return closed && name != "" && strings.IndexFunc(name, func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune("_.-", r) }) < 0
	case '$':
		return strings.Trim(whole, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
	case '%':
		return strings.Trim(whole, "sdvq") == "" && len(s) == 2
	}
	return false
}
