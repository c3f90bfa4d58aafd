package contract

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// What single fields must look like: names, header fields, pointers, methods,
// paths.

// name is a text for people and command lines: printable, on one line.
func (b *fields) name(key string) string {
	s := b.text(key)
	n := b.Get(key)
	if b.r.err != nil {
		return s
	}
	switch {
	case utf8.RuneCountInString(s) > 100:
		b.r.fail(n.Errorf("%s has more than 100 characters", key))
	case strings.TrimSpace(s) != s:
		b.r.fail(n.Errorf("%s begins or ends with white space", key))
	case strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }):
		b.r.fail(n.Errorf("%s holds a character that does not print", key))
	}
	return s
}

// isToken says whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7F || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// checkHeaderName holds a header field name to RFC 9110, section 5.1.
func (r *reader) checkHeaderName(n *document.Node, filled, what string) {
	if s, ok := r.sample(n, filled, "x"); ok && r.err == nil && !isToken(s) {
		r.fail(n.Errorf("%s is no header field name (%s)", document.Show(n.Text), what))
	}
}

// headerName reads a member that names a header field.
func (b *fields) headerName(name string, must bool) string {
	if !must && !b.Has(name) {
		return ""
	}
	s := b.text(name)
	if b.r.err == nil {
		b.r.checkHeaderName(b.Get(name), s, name)
	}
	return s
}

// checkHeaderValue refuses what RFC 9110, section 5.5, does not let into a
// field value, and what the request fingerprint could not cover.
func (r *reader) checkHeaderValue(n *document.Node, s, what string) {
	if r.err != nil || n == nil {
		return
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\t' || c >= 0x7F {
			r.fail(n.Errorf("%s holds a control or non-ASCII character", what))
			return
		}
	}
}

// headerNames reads a list of header field names, none twice.
func (b *fields) headerNames(name string) []string {
	n := b.Get(name)
	if n == nil || b.r.err != nil {
		return nil
	}
	list, err := n.AsStringList(name)
	b.r.fail(err)
	seen := map[string]bool{}
	for i, s := range list {
		b.r.checkHeaderName(n.Items[i], s, "each of "+name)
		if lower := strings.ToLower(s); seen[lower] {
			b.r.fail(n.Items[i].Errorf("%s names %s twice", name, document.Show(s)))
		} else {
			seen[lower] = true
		}
	}
	return list
}

// headers reads an object of header fields, in order.
func (r *reader) headers(n *document.Node, what string) [][2]string {
	if n == nil || r.err != nil {
		return nil
	}
	if n.Kind != document.Object {
		r.fail(n.Errorf("%s must be an object of names and values, not %s", what, n.Kind).
			WithHint("%s: {Name: value}", what))
		return nil
	}
	var out [][2]string
	seen := map[string]bool{}
	for _, m := range n.Members {
		where := at(r.file, Pos{m.Line, m.Column})
		if lower := strings.ToLower(m.Name); !isToken(m.Name) {
			r.fail(problem.New(where, "%s is no header field name", document.Show(m.Name)))
		} else if seen[lower] {
			r.fail(problem.New(where, "%s names %s twice", what, document.Show(m.Name)))
		} else {
			seen[lower] = true
		}
		value, err := m.Value.AsString(m.Name)
		r.fail(err)
		if r.err == nil && value != "" {
			value = r.fill(m.Value, m.Name)
		}
		r.checkHeaderValue(m.Value, value, "the value of "+m.Name)
		if strings.Trim(value, " \t") != value {
			r.fail(m.Value.Errorf("the value of %s begins or ends with white space", m.Name))
		}
		out = append(out, [2]string{m.Name, value})
	}
	return out
}

// pointer checks a JSON Pointer (RFC 6901) that stands at n. whole says
// whether the empty pointer may stand.
func (r *reader) pointer(n *document.Node, s, what string, whole bool) {
	if r.err != nil || n == nil {
		return
	}
	if _, err := fingerprint.ParsePointer(s); err != nil {
		wrong := n.Errorf("%s: %s", what, err)
		if hint := problem.Hint(err); hint != "" {
			wrong = wrong.WithHint("%s", hint)
		}
		r.fail(wrong)
		return
	}
	if s == "" && !whole {
		r.fail(n.Errorf("%s: the empty pointer is the whole body", what))
	}
}

// pointers reads a list of JSON Pointers.
func (b *fields) pointers(name string, whole bool) []string {
	n := b.Get(name)
	if n == nil || b.r.err != nil {
		return nil
	}
	list, err := n.AsStringList(name)
	b.r.fail(err)
	for i, s := range list {
		b.r.pointer(n.Items[i], s, "each of "+name, whole)
	}
	return list
}

// optPointer reads a member that is a JSON Pointer, not to the whole.
func (b *fields) optPointer(name string) string {
	n := b.Get(name)
	if n == nil {
		return ""
	}
	s, err := n.AsString(name)
	b.r.fail(err)
	if err == nil && s != "" {
		s = b.r.fill(n, name)
	}
	if sample, ok := b.r.sample(n, s, "x"); ok {
		b.r.pointer(n, sample, name, false)
	}
	return s
}

// method reads an HTTP method; absent is for an absent member, and where it is
// empty the member must be there.
func (b *fields) method(absent string) string {
	if absent != "" && !b.Has("method") {
		return absent
	}
	s := b.text("method")
	n := b.Get("method")
	if b.r.err != nil {
		return s
	}
	sample, ok := b.r.sample(n, s, "X")
	switch {
	case !ok:
	case !isToken(sample):
		b.r.fail(n.Errorf("%s is no HTTP method", document.Show(n.Text)).WithHint("method: POST"))
	case sample != strings.ToUpper(sample):
		// Methods are case-sensitive (RFC 9110, 9.1), and none in use is lower case.
		b.r.fail(n.Errorf("%s: methods are upper case", document.Show(n.Text)).
			WithHint("method: %s", strings.ToUpper(n.Text)))
	case sample == "CONNECT":
		b.r.fail(n.Errorf("CONNECT makes no request that could be sent again"))
	}
	return s
}

// path reads a request target in origin form (RFC 9112, 3.2.1), held to what
// the request fingerprint covers (determ-v1, Fingerprints v1).
func (b *fields) path(name string) string {
	s := b.text(name)
	b.r.checkPath(b.Get(name), s, name)
	return s
}

func (r *reader) checkPath(n *document.Node, filled, what string) {
	if r.err != nil {
		return
	}
	s, ok := r.sample(n, filled, "x")
	if !ok {
		return
	}
	if !strings.HasPrefix(s, "/") {
		r.fail(n.Errorf("%s must begin with /", what))
		return
	}
	for i, c := range s {
		switch {
		case c <= ' ' || c >= 0x7F:
			r.fail(n.Errorf("%s holds a byte outside 0x21-0x7E", what).WithHint("percent-encode it as %s", url.PathEscape(string(c))))
			return
		case c == '#':
			r.fail(n.Errorf("%s has a fragment, which is never sent", what).WithHint("percent-encode # as %%23"))
			return
		case c == '{' || c == '}':
			r.fail(n.Errorf("%s holds %c", what, c).WithHint("%s", braceHint(c)))
			return
		case c == '%' && !isEscape(s[i:]):
			r.fail(n.Errorf("%s has a %% that begins no escape", what).WithHint("percent-encode %% as %%25"))
			return
		}
	}
	_, query, _ := strings.Cut(s, "?")
	if text, err := url.QueryUnescape(query); err != nil || !utf8.ValidString(text) {
		r.fail(n.Errorf("%s has a query whose escapes are not UTF-8", what))
	}
}

func braceHint(c rune) string {
	return fmt.Sprintf("percent-encode it as %%%02X; only the path of an effects counter takes {fresh:/pointer}", c)
}

// isEscape says whether s begins with a percent-encoded octet (RFC 3986, 2.1).
func isEscape(s string) bool {
	return len(s) >= 3 && strings.IndexByte("0123456789abcdefABCDEF", s[1]) >= 0 &&
		strings.IndexByte("0123456789abcdefABCDEF", s[2]) >= 0
}
