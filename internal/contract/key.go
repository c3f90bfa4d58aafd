package contract

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

const uuidLength = 36 // RFC 9562, section 4

func (r *reader) key(b *fields, q *Request) Key {
	k := Key{Pos: b.at}
	var base Key
	if r.profiled != nil {
		base = r.profiled.Key
	}
	switch b.choose(r.profiled == nil || !r.profiled.KeyPlace(), "header", "body", "query") {
	case "header":
		k.Header = b.headerName("header", true)
	case "body":
		k.Body = b.optPointer("body")
		r.keyInBody(b.Get("body"), k.Body, q)
	case "query":
		k.Query = b.text("query")
		r.keyInQuery(b.Get("query"), k.Query, q.Path)
	default:
		r.profiledPlace(b, base, &k, q)
	}
	r.companion(b, &k)
	if n := b.Get("syntax"); n != nil {
		k.Syntax = b.word("syntax", "")
		if k.Syntax == "sf-string" && k.Header == "" {
			r.fail(n.Errorf("sf-string is a form of header fields (RFC 9651)").WithHint("syntax: bare"))
		}
	} else if k.Syntax == "" {
		k.Syntax = "bare"
	}
	if b.choose(true, "recipe", "generate") == "recipe" {
		k.Recipe = b.text("recipe")
	} else {
		k.Generate = b.word("generate", "")
	}
	if base.Rules != nil {
		rules := *base.Rules
		rules.Pos, k.Rules = r.profiledAt, &rules
	}
	if b.Has("rules") {
		known := KeyRules{}
		if k.Rules != nil {
			known = *k.Rules
		}
		r.child(b, "rules", true, "rules", func(b *fields) { k.Rules = r.rules(b, known, k.Generate) })
	}
	return k
}

// profiledPlace is where the profile says that the key travels, with what
// belongs to that place; nothing of it where the file names a place itself.
func (r *reader) profiledPlace(b *fields, base Key, k *Key, q *Request) {
	if r.err != nil || r.profiled == nil {
		return
	}
	k.Header, k.Body, k.Query, k.Companion, k.Syntax = base.Header, base.Body, base.Query, base.Companion, base.Syntax
	switch {
	case k.Body != "":
		r.keyInBody(b.Node, k.Body, q)
	case k.Query != "":
		r.keyInQuery(b.Node, k.Query, q.Path)
	}
	if r.err != nil {
		r.err = problem.New(at(r.file, pos(b.Node)), "profile %s: %s", r.profiled.Name, strings.TrimPrefix(r.err.Error(), b.Node.At()+": ")).
			WithHint("name the key's place: header, body or query")
	}
}

func (r *reader) companion(b *fields, k *Key) {
	r.child(b, "companion", false, "companion", func(b *fields) {
		b.Must("as")
		k.Companion = &Companion{Header: b.headerName("header", true), As: b.word("as", "")}
		if r.err == nil && strings.EqualFold(k.Companion.Header, k.Header) {
			r.fail(b.Get("header").Errorf("the companion's header is the key's own"))
		}
	})
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

// rules reads what is declared of keys, over what a profile knows of them.
func (r *reader) rules(b *fields, known KeyRules, generate string) *KeyRules {
	k := &known
	k.Pos, k.Case = b.at, b.word("case", k.Case)
	for _, length := range []struct {
		name string
		into *int
	}{{"min_length", &k.MinLength}, {"max_length", &k.MaxLength}} {
		if b.Has(length.name) {
			*length.into = int(b.wholeNumber(length.name, 1, 1_000_000))
		}
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
	// length is a member, or its profile's value with the profile named.
	length := func(name string) (*document.Node, string) {
		if n := b.Get(name); n != nil || r.profiled == nil {
			return n, name
		}
		return b.Node, "the " + name + " of profile " + r.profiled.Name
	}
	switch {
	case k.MaxLength > 0 && k.MinLength > k.MaxLength:
		_, least := length("min_length")
		n, most := length("max_length")
		r.fail(n.Errorf("%s is below %s", most, least))
	case k.TooLong != nil && k.MaxLength == 0:
		r.fail(b.Get("too_long").Errorf("too_long needs a max_length").WithHint("max_length: 255"))
	case generate == "uuid4" && k.MaxLength > 0 && k.MaxLength < uuidLength:
		n, _ := length("max_length")
		r.fail(n.Errorf("a generated uuid4 has %d characters; nothing is ever cut to fit", uuidLength).
			WithHint("recipe: FILE, with limits: {max_length: %d}", k.MaxLength))
	case generate == "uuid4" && k.MinLength > uuidLength:
		n, _ := length("min_length")
		r.fail(n.Errorf("a generated uuid4 has %d characters", uuidLength))
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
