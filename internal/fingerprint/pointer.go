package fingerprint

import (
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Pointer is a JSON Pointer (RFC 6901), one unescaped token an element. The
// empty pointer is the whole value.
type Pointer []string

// ParsePointer reads the text form. A "~" not followed by 0 or 1, a text that
// neither is empty nor starts with "/", and broken UTF-8 are errors.
func ParsePointer(s string) (Pointer, error) {
	if s == "" {
		return Pointer{}, nil
	}
	shown := cut(Printable(s), shownLength)
	if !utf8.ValidString(s) {
		return nil, problem.New("", "pointer %s is not UTF-8", shown)
	}
	if s[0] != '/' {
		p := problem.New("", "pointer %s does not start with /", shown)
		if s[0] == '#' {
			return nil, p.WithHint("write it without the #: %s", cut(Printable(s[1:]), shownLength))
		}
		return nil, p.WithHint("write it as /%s", shown)
	}
	tokens := strings.Split(s[1:], "/")
	for i, token := range tokens {
		unescaped, ok := unescapeToken(token)
		if !ok {
			return nil, problem.New("", "pointer %s has a ~ that is not followed by 0 or 1", shown).
				WithHint("a ~ in a name is written ~0, a / is written ~1")
		}
		tokens[i] = unescaped
	}
	return tokens, nil
}

func unescapeToken(token string) (string, bool) {
	if !strings.Contains(token, "~") {
		return token, true
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '~' {
			b.WriteByte(token[i])
			continue
		}
		i++
		switch {
		case i < len(token) && token[i] == '0':
			b.WriteByte('~')
		case i < len(token) && token[i] == '1':
			b.WriteByte('/')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// String gives the text form; ParsePointer reads it back.
func (p Pointer) String() string {
	var b strings.Builder
	for _, token := range p {
		b.WriteByte('/')
		for i := 0; i < len(token); i++ {
			switch token[i] {
			case '~':
				b.WriteString("~0")
			case '/':
				b.WriteString("~1")
			default:
				b.WriteByte(token[i])
			}
		}
	}
	return b.String()
}

// Covers says whether other is the place p names or lies inside it.
func (p Pointer) Covers(other Pointer) bool {
	if len(other) < len(p) {
		return false
	}
	for i := range p {
		if p[i] != other[i] {
			return false
		}
	}
	return true
}

// At gives the value at p; false where it is absent. An array token is
// 0|[1-9][0-9]*, so "-", "01" and what is out of range are absent
// (determ-v1, Steps 1).
func (v *Value) At(p Pointer) (*Value, bool) {
	for _, token := range p {
		switch v.Kind {
		case KindObject:
			v = v.Member(token)
			if v == nil {
				return nil, false
			}
		case KindArray:
			i, ok := arrayIndex(token, len(v.Items))
			if !ok {
				return nil, false
			}
			if v = v.Items[i]; v == nil { // left out
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return v, true
}

func arrayIndex(token string, length int) (int, bool) {
	if token == "" || (token[0] == '0' && len(token) > 1) {
		return 0, false
	}
	n := 0
	for i := 0; i < len(token); i++ {
		if token[i] < '0' || token[i] > '9' {
			return 0, false
		}
		n = n*10 + int(token[i]-'0')
		if n >= length {
			return 0, false
		}
	}
	return n, true
}
