package fingerprint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/problem"
)

type requestVector struct {
	Name, Method, Path string
	RawQuery           string   `json:"raw_query"`
	MediaType          string   `json:"media_type"`
	IncludeHeaders     []string `json:"include_headers"`
	Headers            [][2]string
	Body               string
	Ignore             []string
	Canonical          string
	RequestFP          string `json:"request_fp"`
	keyedVector
}

func (v requestVector) parts(t *testing.T) (Request, Rules) {
	t.Helper()
	req := Request{Method: v.Method, Target: v.Path, MediaType: v.MediaType, Body: []byte(v.Body)}
	if v.RawQuery != "" {
		req.Target += "?" + v.RawQuery
	}
	for _, h := range v.Headers {
		req.Headers = append(req.Headers, Header{h[0], h[1]})
	}
	return req, Rules{Headers: v.IncludeHeaders, Ignore: pointers(t, v.Ignore...)}
}

func pointers(t *testing.T, texts ...string) []Pointer {
	t.Helper()
	var all []Pointer
	for _, text := range texts {
		p, err := ParsePointer(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestRequestVectors(t *testing.T) {
	for _, v := range readVectors(t).Request {
		t.Run(v.Name, func(t *testing.T) {
			req, rules := v.parts(t)
			if got, err := CanonicalRequest(req, rules, Policy{}); err != nil || string(got) != v.Canonical {
				t.Errorf("got %s, %v\nwant %s", got, err, v.Canonical)
			}
			if got, err := RequestFingerprint(req, rules, Policy{}); err != nil || got != v.RequestFP {
				t.Errorf("got %s, %v", got, err)
			}
			if got, err := RequestFingerprint(req, rules, Policy{Key: v.key(t)}); err != nil || got != v.KeyedFP {
				t.Errorf("keyed: got %s, %v", got, err)
			}
		})
	}
}

func TestCanonicalRequest(t *testing.T) {
	const prefix, digest = `{"body":`, `{"sha256":"`
	for _, c := range []struct {
		name  string
		req   Request
		rules Rules
		want  string
	}{
		{"empty path", Request{Method: "get", Target: ""}, Rules{},
			`{"body":null,"headers":{},"method":"get","path":"/","query":[]}`},
		{"query alone", Request{Method: "GET", Target: "?a"}, Rules{},
			`{"body":null,"headers":{},"method":"GET","path":"/","query":[["a",null]]}`},
		{"a second question mark belongs to the query", Request{Method: "GET", Target: "/p?a?b=c?d=e"}, Rules{},
			`{"body":null,"headers":{},"method":"GET","path":"/p","query":[["a?b","c?d=e"]]}`},
		{"escapes decode once, names too", Request{Method: "GET", Target: "/p?%61%2b=%252B+&=x&=&%26=%3d"}, Rules{},
			`{"body":null,"headers":{},"method":"GET","path":"/p","query":[["","x"],["",""],["&","="],["a+","%2B "]]}`},
		{"names sort by UTF-16", Request{Method: "GET", Target: "/p?%EF%AC%B3=1&%F0%9F%98%82=2&z=3"}, Rules{},
			"{\"body\":null,\"headers\":{},\"method\":\"GET\",\"path\":\"/p\",\"query\":[[\"z\",\"3\"],[\"\U0001F602\",\"2\"],[\"\uFB33\",\"1\"]]}"},
		{"absent and empty headers", Request{Method: "GET", Headers: []Header{{"X-B", " \t"}, {"X-C", "1"}}},
			Rules{Headers: []string{"X-A", "x-b", "X-b"}},
			`{"body":null,"headers":{"x-b":""},"method":"GET","path":"/","query":[]}`},
		{"inner spaces of a header stay", Request{Method: "GET", Headers: []Header{{"x-b", "a \t b"}, {"X-B", ""}, {"x-B", "c"}}},
			Rules{Headers: []string{"x-b"}},
			`{"body":null,"headers":{"x-b":"a \t b, , c"},"method":"GET","path":"/","query":[]}`},
		{"key in a header", Request{Method: "GET", Headers: []Header{{"IDEMPOTENCY-KEY", "1"}, {"x", "y"}}},
			Rules{Headers: []string{"idempotency-key", "x"}, Key: KeyPlace{Header: "Idempotency-Key"}},
			`{"body":null,"headers":{"x":"y"},"method":"GET","path":"/","query":[]}`},
		{"key in the query", Request{Method: "GET", Target: "/?t=1&k%65y=2&key"}, Rules{Key: KeyPlace{Query: "key"}},
			`{"body":null,"headers":{},"method":"GET","path":"/","query":[["t","1"]]}`},
		{"key in the body", Request{Method: "POST", MediaType: "application/json", Body: []byte(`{"a":[1,2],"token":"x"}`)},
			Rules{Key: KeyPlace{Body: Pointer{"token"}}, Ignore: []Pointer{{"a", "0"}}},
			`{"body":{"json":{"a":[2]}},"headers":{},"method":"POST","path":"/","query":[]}`},
		{"ignored inside ignored", Request{Method: "POST", MediaType: "application/json", Body: []byte(`{"a":{"b":1,"c":2},"d":[]}`)},
			Rules{Ignore: []Pointer{{"a", "b"}, {"a"}, {"d", "-"}}},
			`{"body":{"json":{"d":[]}},"headers":{},"method":"POST","path":"/","query":[]}`},
		{"an ignored number may be lossy", Request{Method: "POST", MediaType: "application/json", Body: []byte(`{"a":1,"t":9007199254740993}`)},
			Rules{Ignore: []Pointer{{"t"}}},
			`{"body":{"json":{"a":1}},"headers":{},"method":"POST","path":"/","query":[]}`},
		{"bytes count", Request{Method: "POST", MediaType: "application/json", Body: []byte(`{ }`)}, Rules{Bytes: true},
			prefix + digest + `257c1be96ae69f4b01c2c69bdb6d78605f59175819fb007d0bf245bf48444c4a"},"headers":{},"method":"POST","path":"/","query":[]}`},
		{"bytes count, even broken ones", Request{Method: "POST", MediaType: "application/json", Body: []byte(`{`)}, Rules{Bytes: true},
			prefix + digest + `021fb596db81e6d02bf3d2586ee3981fe519f275c0ac9ca76bbcf2ebb4097d96"},"headers":{},"method":"POST","path":"/","query":[]}`},
		{"no bytes under bytes", Request{Method: "POST", MediaType: "application/json"}, Rules{Bytes: true},
			`{"body":null,"headers":{},"method":"POST","path":"/","query":[]}`},
		{"no media type", Request{Method: "POST", Body: []byte(`{}`)}, Rules{},
			prefix + digest + `44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},"headers":{},"method":"POST","path":"/","query":[]}`},
	} {
		if got, err := CanonicalRequest(c.req, c.rules, Policy{}); err != nil || string(got) != c.want {
			t.Errorf("%s:\n got %s, %v\nwant %s", c.name, got, err, c.want)
		}
	}
}

func TestRequestRefused(t *testing.T) {
	post := func(body string) Request {
		return Request{Method: "POST", Target: "/p", MediaType: "application/json", Body: []byte(body)}
	}
	for _, c := range []struct {
		want  string
		req   Request
		rules Rules
	}{
		{`method: "" is not a method`, Request{Target: "/"}, Rules{}},
		{`method: "PO ST" is not a method`, Request{Method: "PO ST"}, Rules{}},
		{"path: byte 2: 0x20 cannot stand in a request target", Request{Method: "GET", Target: "/a b"}, Rules{}},
		{"path: byte 1: 0xc3 cannot stand in a request target", Request{Method: "GET", Target: "/é"}, Rules{}},
		{"path: byte 1: 0x7f cannot stand in a request target", Request{Method: "GET", Target: "/\x7f"}, Rules{}},
		{"query: byte 2: % is not followed by two hexadecimal digits", Request{Method: "GET", Target: "/?a=%"}, Rules{}},
		{"query: byte 6: % is not followed by two hexadecimal digits", Request{Method: "GET", Target: "/?b=&a=b%4x"}, Rules{}},
		{"query: byte 2: the decoded text is not UTF-8", Request{Method: "GET", Target: "/?a=%C3%28"}, Rules{}},
		{"query: byte 0: the decoded text is not UTF-8", Request{Method: "GET", Target: "/?%ED%A0%80=1"}, Rules{}},
		{"query: byte 2: the decoded text is not UTF-8", Request{Method: "GET", Target: "/?a=\xff"}, Rules{}},
		{"header x-a: byte 1 of its value is not ASCII", Request{Method: "GET", Headers: []Header{{"X-A", " aé"}}}, Rules{Headers: []string{"X-A"}}},
		{`"x a" is no header name`, Request{Method: "GET"}, Rules{Headers: []string{"X A"}}},
		{"body: byte 1: unexpected 'a': a name in double quotes belongs here", post(`{a}`), Rules{}},
		{"body: /k: the object has this name twice (again at byte 7)", post(`{"k":1,"k":2}`), Rules{Ignore: []Pointer{{"k"}}}},
		{"body: /1: number that the canonical form would change: 9007199254740993 would become 9007199254740992", post(`[0,9007199254740993]`), Rules{Ignore: []Pointer{{"0"}}}},
		{"the empty pointer would ignore the whole body", post(`{}`), Rules{Ignore: []Pointer{{"a"}, {}}}},
		{"the empty pointer would ignore the whole body", Request{Method: "GET"}, Rules{Ignore: []Pointer{{}}}},
	} {
		got, err := RequestFingerprint(c.req, c.rules, Policy{})
		if err == nil || err.Error() != c.want || got != "" {
			t.Errorf("got %q, %v\nwant %s", got, err, c.want)
		}
	}
	if _, err := RequestFingerprint(post(`[9007199254740993]`), Rules{}, Policy{}); !strings.Contains(problem.Hint(err), "ieee754") {
		t.Errorf("hint %q", problem.Hint(err))
	}
	if _, err := RequestFingerprint(post(`[9007199254740993]`), Rules{}, Policy{Numbers: IEEE754}); err != nil {
		t.Error(err)
	}
}

func TestMediaTypes(t *testing.T) {
	for mediaType, want := range map[string]bool{
		"application/json": true, "Application/JSON ; charset=utf-8": true, "\tapplication/problem+JSON": true,
		"image/svg+json;x": true, "": false, "+json": false, "foo+json": true, "application/jsonp": false, "text/json": false,
		"application/json-seq": false, "text/plain; a=+json": false, "application/x-www-form-urlencoded": false,
	} {
		if isJSONType(mediaType) != want {
			t.Errorf("%q: %v", mediaType, !want)
		}
	}
}

func TestRequestSensitive(t *testing.T) {
	body := func(mediaType, s string) Request {
		return Request{Method: "POST", Target: "/p", MediaType: mediaType, Body: []byte(s)}
	}
	const mail = `{"id":"o-1","to":"payer@example.com"}`
	for _, c := range []struct {
		where string // empty: it is taken
		req   Request
		rules Rules
		p     Policy
	}{
		{"body /to", body("application/json", mail), Rules{}, Policy{}},
		{"body /to", body("application/json", mail), Rules{Bytes: true}, Policy{}},
		{"", body("application/json", mail), Rules{Ignore: []Pointer{{"to"}}}, Policy{}},
		{"", body("application/json", mail), Rules{}, Policy{Public: true}},
		{"", body("application/json", mail), Rules{}, Policy{Sensitive: []Pointer{{"card"}}}},
		{"body /id", body("application/json", mail), Rules{}, Policy{Sensitive: []Pointer{{"card"}, {"id"}}}},
		{"body /id", body("application/json", mail), Rules{}, Policy{Sensitive: []Pointer{{"id"}}, Numbers: IEEE754}},
		{"", body("application/json", mail), Rules{Ignore: []Pointer{{"id"}}}, Policy{Sensitive: []Pointer{{"id"}}}},
		{`form field "to"`, body("application/x-www-form-urlencoded", "id=1&to=payer%40example.com"), Rules{}, Policy{}},
		{"", body("application/x-www-form-urlencoded", "id=1&to=payer"), Rules{}, Policy{}},
		{`query "to"`, Request{Method: "GET", Target: "/p?to=payer%40example.com"}, Rules{}, Policy{}},
		{"", Request{Method: "GET", Target: "/p?to=payer%40example.com"}, Rules{Key: KeyPlace{Query: "to"}}, Policy{}},
		{"query «masked»", Request{Method: "GET", Target: "/p?payer%40example.com=x%40example.com"}, Rules{}, Policy{}},
		{"header x-for", Request{Method: "GET", Headers: []Header{{"X-For", "payer@example.com"}}}, Rules{Headers: []string{"x-for"}}, Policy{}},
		{"", Request{Method: "GET", Headers: []Header{{"X-For", "payer@example.com"}}}, Rules{}, Policy{}},
	} {
		_, err := RequestFingerprint(c.req, c.rules, c.p)
		switch {
		case c.where == "" && err != nil:
			t.Errorf("refused: %v", err)
		case c.where != "" && (err == nil || !strings.HasPrefix(err.Error(), c.where+": ")):
			t.Errorf("got %v; want %s", err, c.where)
		case err != nil && strings.Contains(err.Error(), "payer"):
			t.Errorf("%v shows the value", err)
		}
		keyed := c.p
		keyed.Key = &Keyed{Secret: []byte(strings.Repeat("s", 32)), Kid: "k1", Namespace: "t"}
		if _, err := RequestFingerprint(c.req, c.rules, keyed); err != nil {
			t.Errorf("keyed: %v", err)
		}
	}
}

// The order of parameters with different names never matters; that of equal
// names always does, and so does every value.
func TestQueryLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zé😂]{1,4}`), 1, 6, rapid.ID).Draw(t, "names")
		pieces := make([]string, len(names))
		for i, name := range names {
			pieces[i] = percent(name) + fmt.Sprintf("=%d", i)
		}
		first := canonicalOf(t, strings.Join(pieces, "&"))
		shuffled := rapid.Permutation(pieces).Draw(t, "shuffled")
		if second := canonicalOf(t, "&"+strings.Join(shuffled, "&&")+"&"); second != first {
			t.Fatalf("%s\n%s", first, second)
		}
		twice := percent(names[0])
		if canonicalOf(t, twice+"=1&"+twice+"=2") == canonicalOf(t, twice+"=2&"+twice+"=1") {
			t.Fatal("the order of equal names does not count")
		}
		if canonicalOf(t, twice) == canonicalOf(t, twice+"=") {
			t.Fatal("no value and an empty one are the same")
		}
	})
}

func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func canonicalOf(t *rapid.T, query string) string {
	out, err := CanonicalRequest(Request{Method: "GET", Target: "/?" + query}, Rules{}, Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"", "a=1&b", "a=%", "%C3%A9=+", "&&=&", "a=1&a=2", "%f0%9f%98%82=x", "\xff", "a=%zz"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		pairs, err := readQuery(raw)
		if err != nil {
			return
		}
		var again []string
		for _, p := range pairs {
			piece := percent(p.name)
			if !p.plain {
				piece += "=" + percent(p.value)
			}
			if piece == "" {
				t.Fatalf("%q gives an empty piece", raw)
			}
			again = append(again, piece)
		}
		back, err := readQuery(strings.Join(again, "&"))
		if err != nil || !slices.Equal(back, pairs) {
			t.Fatalf("%q: %v, then %v, %v", raw, pairs, back, err)
		}
		v := canonicalQuery(pairs, "")
		if len(v.Items) != len(pairs) {
			t.Fatalf("%q: %d pairs became %d", raw, len(pairs), len(v.Items))
		}
		if _, err := v.Canonical(Strict, ""); err != nil {
			t.Fatal(err)
		}
	})
}
