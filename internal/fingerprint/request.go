package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Request is a request as sent.
type Request struct {
	Method    string
	Target    string // request target: the path and, behind the first "?", the query
	MediaType string // Content-Type with or without parameters; empty where none was sent
	Headers   []Header
	Body      []byte
}

// Header is one header line.
type Header struct {
	Name, Value string
}

// Rules say what of a request its fingerprint covers.
type Rules struct {
	Headers []string  // names that count, in any case
	Ignore  []Pointer // places of a JSON body that do not count
	Bytes   bool      // reorder: bytes; bodies count byte for byte
	Key     KeyPlace  // where the idempotency key travels: it never counts
}

// KeyPlace is where an idempotency key travels; at most one field is set. In a
// body that counts byte for byte the key cannot be left out, which does no
// harm: fingerprints are compared for one key.
type KeyPlace struct {
	Header string
	Query  string
	Body   Pointer
}

// RequestFingerprint gives "req1:" and 64 hexadecimal digits, or with a key
// "reqk1:kid:" and 64 (determ-v1, Fingerprints v1). It fails with *problem.Error
// or *Error for a request that has no fingerprint, and where the unkeyed form
// would give a sensitive value away.
func RequestFingerprint(req Request, rules Rules, p Policy) (string, error) {
	r, err := readRequest(req, rules, p)
	if err != nil {
		return "", err
	}
	if err := r.allowed(p); err != nil {
		return "", err
	}
	canonical, err := r.canonical(p)
	if err != nil {
		return "", err
	}
	return p.hash(canonical, requestForm)
}

// CanonicalRequest gives JCS(R), the bytes that a request fingerprint hashes.
// It holds the body: show it to nobody who may not see that.
func CanonicalRequest(req Request, rules Rules, p Policy) ([]byte, error) {
	r, err := readRequest(req, rules, p)
	if err != nil {
		return nil, err
	}
	return r.canonical(p)
}

// request is R before it is canonicalised, and what the sensitive look at.
type request struct {
	method, path string
	pairs        []queryPair
	headers      *Value
	body         *Value // B
	queryKey     string

	received *Value // the JSON body, also where only its bytes count
	ignored  map[*Value]bool
	form     []queryPair // a form body
	text     string      // a body of another kind that is UTF-8
}

func readRequest(req Request, rules Rules, p Policy) (*request, error) {
	if !isToken(req.Method) {
		return nil, problem.New("method", "%q is not a method", cut(Printable(req.Method), shownLength)).
			WithHint("--method POST")
	}
	path, query, _ := strings.Cut(req.Target, "?")
	if path == "" {
		path = "/"
	}
	for i := 0; i < len(path); i++ {
		if path[i] < 0x21 || path[i] > 0x7E {
			return nil, problem.New("path", "byte %d: 0x%02x cannot stand in a request target", i, path[i]).
				WithHint("percent-encode it: %%%02X", path[i])
		}
	}
	r := &request{method: req.Method, path: path, queryKey: rules.Key.Query}
	var err error
	if r.pairs, err = readQuery(query); err != nil {
		return nil, err
	}
	if r.headers, err = coveredHeaders(req.Headers, rules); err != nil {
		return nil, err
	}
	if err := r.readBody(req, rules, p); err != nil {
		return nil, err
	}
	return r, nil
}

// coveredHeaders gives H: the named headers that were sent, lines trimmed and
// joined in the order of their arrival.
func coveredHeaders(lines []Header, rules Rules) (*Value, error) {
	covered := Object()
	for _, name := range rules.Headers {
		name = asciiLower(name)
		if !isToken(name) {
			return nil, problem.New("", "%q is no header name", cut(Printable(name), shownLength))
		}
		if name == asciiLower(rules.Key.Header) || covered.Member(name) != nil {
			continue
		}
		var values []string
		for _, line := range lines {
			if asciiLower(line.Name) == name {
				values = append(values, strings.Trim(line.Value, " \t"))
			}
		}
		if values == nil {
			continue
		}
		joined := strings.Join(values, ", ")
		for i := 0; i < len(joined); i++ {
			if joined[i] >= 0x80 {
				return nil, problem.New("header "+name, "byte %d of its value is not ASCII", i)
			}
		}
		covered.Members = append(covered.Members, Member{Name: name, Value: String(joined)})
	}
	return covered, nil
}

// readBody gives B: null without bytes, the JSON value less what is ignored,
// or a digest of the bytes.
func (r *request) readBody(req Request, rules Rules, p Policy) error {
	ignore := rules.Ignore
	if len(rules.Key.Body) > 0 {
		ignore = append(slices.Clone(ignore), rules.Key.Body)
	}
	for _, pointer := range ignore {
		if len(pointer) == 0 {
			return problem.New("", "the empty pointer would ignore the whole body").
				WithHint("name a place inside it, such as /sent_at")
		}
	}
	if len(req.Body) == 0 {
		r.body = Null()
		return nil
	}
	isJSON := isJSONType(req.MediaType)
	if !isJSON || rules.Bytes {
		sum := sha256.Sum256(req.Body)
		r.body = Object(Member{"sha256", String(hex.EncodeToString(sum[:]))})
		if isJSON {
			r.received, _ = Parse(req.Body) // only to see whether it holds something sensitive
		} else if isFormType(req.MediaType) {
			r.form, _ = readQuery(string(req.Body))
		}
		if r.received == nil && r.form == nil && len(req.Body) <= maxLooksAt && utf8.Valid(req.Body) {
			r.text = string(req.Body)
		}
		return nil
	}
	v, err := Parse(req.Body)
	if err != nil {
		return inBody(err, p)
	}
	r.received = v
	r.ignored = resolve(v, ignore)
	if p.Numbers == Strict {
		if err := firstLossy(v, r.ignored); err != nil {
			return inBody(err, p)
		}
	}
	r.body = Object(Member{"json", without(v, r.ignored)})
	return nil
}

func inBody(err error, p Policy) error {
	err = Mask(err, p.Sensitive)
	return &problem.Error{Where: "body", What: err.Error(), Hint: problem.Hint(err), Err: err}
}

func (r *request) canonical(p Policy) ([]byte, error) {
	whole := Object(
		Member{"body", r.body},
		Member{"headers", r.headers},
		Member{"method", String(r.method)},
		Member{"path", String(r.path)},
		Member{"query", canonicalQuery(r.pairs, r.queryKey)},
	)
	// Numbers that count were judged in place, where their pointers are true.
	c := Canonicaliser{Numbers: IEEE754, Engine: p.Engine}
	return c.AppendValue(nil, whole, "")
}

// resolve finds all pointers in the value as received; what is absent is no error.
func resolve(v *Value, pointers []Pointer) map[*Value]bool {
	found := make(map[*Value]bool, len(pointers))
	for _, p := range pointers {
		if at, ok := v.At(p); ok {
			found[at] = true
		}
	}
	return found
}

// without gives v less the values in removed; it shares what it can.
func without(v *Value, removed map[*Value]bool) *Value {
	if len(removed) == 0 || (v.Kind != KindArray && v.Kind != KindObject) {
		return v
	}
	c := *v
	c.Items, c.Members = nil, nil
	for _, item := range v.Items {
		if !removed[item] {
			c.Items = append(c.Items, without(item, removed))
		}
	}
	for _, m := range v.Members {
		if !removed[m.Value] {
			c.Members = append(c.Members, Member{m.Name, without(m.Value, removed)})
		}
	}
	return &c
}

// Without gives the value less what the pointers name. All are resolved
// against v as it is, then removed at once; one that matches nothing is no
// error, and the empty pointer is.
func (v *Value) Without(pointers []Pointer) (*Value, error) {
	for _, p := range pointers {
		if len(p) == 0 {
			return nil, errors.New("the empty pointer would ignore the whole value")
		}
	}
	return without(v, resolve(v, pointers)), nil
}

// IsJSONType says whether a body of this media type counts as a JSON value.
func IsJSONType(mediaType string) bool { return isJSONType(mediaType) }

// IsToken says whether s is a token of RFC 9110 section 5.6.2, as names of
// headers and methods are.
func IsToken(s string) bool { return isToken(s) }

// isJSONType says whether a media type is application/json or ends in +json,
// whatever its case and parameters.
func isJSONType(mediaType string) bool {
	kind := bareType(mediaType)
	subtype := strings.TrimSuffix(kind, "+json")
	return kind == "application/json" || subtype != kind && subtype != ""
}

func isFormType(mediaType string) bool {
	return bareType(mediaType) == "application/x-www-form-urlencoded"
}

func bareType(mediaType string) string {
	kind, _, _ := strings.Cut(mediaType, ";")
	return asciiLower(strings.Trim(kind, " \t"))
}

// isToken follows RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letterOrDigit := lowerOrDigit(c) || c >= 'A' && c <= 'Z'
		if !letterOrDigit && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
