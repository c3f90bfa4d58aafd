package fingerprint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
	"github.com/idem-toolkit/idem/internal/problem"
)

// A queryPair is one name of a query with its value; plain says that no "="
// stood behind the name, which is another thing than an empty value.
type queryPair struct {
	name, value string
	plain       bool
}

// readQuery reads a raw query, or a form body, in the order of the text.
func readQuery(raw string) ([]queryPair, error) {
	var pairs []queryPair
	at := 0
	for piece := range strings.SplitSeq(raw, "&") {
		if piece != "" {
			name, value, hasValue := strings.Cut(piece, "=")
			pair := queryPair{plain: !hasValue}
			var err error
			if pair.name, err = decodeQuery(name, at); err != nil {
				return nil, err
			}
			if pair.value, err = decodeQuery(value, at+len(name)+1); err != nil {
				return nil, err
			}
			pairs = append(pairs, pair)
		}
		at += len(piece) + 1
	}
	return pairs, nil
}

// decodeQuery undoes "+" and percent-encoding; at is where s starts in the query.
func decodeQuery(s string, at int) (string, error) {
	if strings.ContainsAny(s, "+%") {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			switch s[i] {
			case '+':
				b.WriteByte(' ')
			case '%':
				if i+2 >= len(s) || hexDigit(s[i+1]) < 0 || hexDigit(s[i+2]) < 0 {
					return "", problem.New("query", "byte %d: %% is not followed by two hexadecimal digits", at+i).
						WithHint("a percent sign itself is written %%25")
				}
				b.WriteByte(byte(hexDigit(s[i+1])<<4 | hexDigit(s[i+2])))
				i += 2
			default:
				b.WriteByte(s[i])
			}
		}
		s = b.String()
	}
	if !utf8.ValidString(s) {
		return "", problem.New("query", "byte %d: the decoded text is not UTF-8", at)
	}
	return s, nil
}

// canonicalQuery gives Q of determ-v1, Fingerprints v1: [name, value] pairs,
// sorted stably by name. key names the parameter that carries the idempotency
// key, or is empty.
func canonicalQuery(pairs []queryPair, key string) *Value {
	kept := slices.DeleteFunc(slices.Clone(pairs), func(p queryPair) bool {
		return key != "" && p.name == key
	})
	slices.SortStableFunc(kept, func(a, b queryPair) int { return canon.CompareNames(a.name, b.name) })
	query := Array()
	for _, p := range kept {
		value := String(p.value)
		if p.plain {
			value = Null()
		}
		query.Items = append(query.Items, Array(String(p.name), value))
	}
	return query
}
