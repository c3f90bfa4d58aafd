package contract

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

const uuidLength = 36 // RFC 9562, section 4

func (r *reader) key(b *fields, q *Request) Key {
	k := Key{Pos: b.at}
	switch b.choose(true, "header", "body", "query") {
	case "header":
		k.Header = b.headerName("header", true)
	case "body":
		k.Body = b.optPointer("body")
		r.keyInBody(b.Get("body"), k.Body, q)
	case "query":
		k.Query = b.text("query")
		r.keyInQuery(b.Get("query"), k.Query, q.Path)
	}
	r.child(b, "companion", false, "companion", func(b *fields) {
		b.Must("as")
		k.Companion = &Companion{Header: b.headerName("header", true), As: b.word("as", "")}
		if r.err == nil && strings.EqualFold(k.Companion.Header, k.Header) {
			r.fail(b.Get("header").Errorf("the companion's header is the key's own"))
		}
	})
	k.Syntax = b.word("syntax", "bare")
	if k.Syntax == "sf-string" && k.Header == "" {
		r.fail(b.Get("syntax").Errorf("sf-string is a form of header fields (RFC 9651)").WithHint("syntax: bare"))
	}
	if b.choose(true, "recipe", "generate") == "recipe" {
		k.Recipe = b.text("recipe")
	} else {
		k.Generate = b.word("generate", "")
	}
	r.child(b, "rules", false, "rules", func(b *fields) { k.Rules = r.rules(b, k.Generate) })
	return k
}

// keyInBody holds the key's pointer to a member of an object or a field of the
// form, in the request and in every variant. The member itself may be absent:
// it is put there.
func (r *reader) keyInBody(n *document.Node, pointer string, q *Request) {
	if r.err != nil {
		return
	}
	for _, f := range q.Fresh {
		if nested(f.At, pointer) {
			r.fail(n.Errorf("the key stands where the fresh value %s does", document.Show(f.At)))
		}
	}
	bodies := []*Body{&q.Body}
	if q.Slow != nil {
		bodies = append(bodies, q.Slow.Body)
	}
	for _, group := range []map[string]Variant{q.Failing, q.Variants} {
		for _, name := range sortedKeys(group) {
			bodies = append(bodies, group[name].Body)
		}
	}
	for _, body := range bodies {
		if body == nil {
			continue
		}
		if why := noPlace(body, pointer); why != "" {
			r.fail(n.Errorf("the key %s %s", document.Show(pointer), why))
		}
	}
}

func noPlace(body *Body, pointer string) string {
	switch body.Kind {
	case NoBody:
		return "has no body to stand in"
	case RawBody:
		return "cannot stand in a body of bytes"
	case FormBody:
		if _, ok := fieldName(pointer); !ok {
			return "is no field of a form"
		}
		return ""
	}
	p, err := fingerprint.ParsePointer(pointer)
	if err != nil || len(p) == 0 || body.JSON == nil {
		return ""
	}
	v, err := fingerprint.Parse(body.JSON)
	if err != nil {
		return ""
	}
	if parent, ok := v.At(p[:len(p)-1]); !ok || parent.Kind != fingerprint.KindObject {
		return "is a member of no object in the body"
	}
	return ""
}

func (r *reader) keyInQuery(n *document.Node, name, path string) {
	if r.err != nil {
		return
	}
	_, query, _ := strings.Cut(path, "?")
	for _, part := range strings.Split(query, "&") {
		before, _, _ := strings.Cut(part, "=")
		if got, err := url.QueryUnescape(before); err == nil && got == name {
			r.fail(n.Errorf("request.path already has %s in its query", document.Show(name)).
				WithHint("leave it out of the path; idem puts the key there"))
		}
	}
}

func (r *reader) rules(b *fields, generate string) *KeyRules {
	k := &KeyRules{
		MinLength: int(b.wholeNumber("min_length", 1, 1_000_000)),
		MaxLength: int(b.wholeNumber("max_length", 1, 1_000_000)),
		Case:      b.word("case", ""),
		Pos:       b.at,
	}
	if n := b.Get("pattern"); n != nil {
		pattern, err := n.AsString("pattern")
		r.fail(err)
		if _, bad := regexp.Compile(pattern); bad != nil {
			r.fail(n.Errorf("pattern is no regular expression (RE2)").WithHint("pattern: '^[A-Za-z0-9_-]+$'"))
		}
		k.Pattern = pattern
	}
	k.Repeated = r.matcherAt(b.Get("repeated"), "repeated", "repeated")
	k.TooLong = r.matcherAt(b.Get("too_long"), "too_long", "too_long")
	if r.err != nil {
		return k
	}
	switch {
	case k.MaxLength > 0 && k.MinLength > k.MaxLength:
		r.fail(b.Get("max_length").Errorf("max_length is below min_length"))
	case k.TooLong != nil && k.MaxLength == 0:
		r.fail(b.Get("too_long").Errorf("too_long needs a max_length").WithHint("max_length: 255"))
	case generate == "uuid4" && k.MaxLength > 0 && k.MaxLength < uuidLength:
		r.fail(b.Get("max_length").Errorf("a generated uuid4 has %d characters; nothing is ever cut to fit", uuidLength).
			WithHint("recipe: FILE, with limits: {max_length: %d}", k.MaxLength))
	case generate == "uuid4" && k.MinLength > uuidLength:
		r.fail(b.Get("min_length").Errorf("a generated uuid4 has %d characters", uuidLength))
	}
	return k
}

// Admits says whether a key keeps the declared rules, "" if so, else the first
// that it breaks. Lengths are in characters.
func (k *KeyRules) Admits(key string) string {
	if k == nil {
		return ""
	}
	n := utf8.RuneCountInString(key)
	switch {
	case k.MinLength > 0 && n < k.MinLength:
		return "min_length"
	case k.MaxLength > 0 && n > k.MaxLength:
		return "max_length"
	case k.Pattern != "":
		if re, err := regexp.Compile(k.Pattern); err != nil || !re.MatchString(key) {
			return "pattern"
		}
	}
	return ""
}
