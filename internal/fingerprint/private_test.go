package fingerprint

import (
	"strings"
	"testing"
)

func TestPrivateValues(t *testing.T) {
	long := strings.Repeat("word by word ", 1000)
	for _, c := range []struct {
		name  string
		value *Value
		want  bool
	}{
		{"note", String(long + "payer@example.com " + long), true},
		{"note", String(long), false},
		{"password", String("hunter2"), true}, {"api_key", String("abc"), true}, {"apiKey", String("abc"), true},
		{"access_token", String("t"), true}, {"client-secret", String("s"), true}, {"PIN", &Value{Kind: KindNumber, Number: "1234"}, true},
		{"credentials", Object(), true}, {"password", Null(), false}, {"password", &Value{Kind: KindBool}, false},
		{"key", String("abc"), false}, {"idempotency_key", String("abc"), false}, {"order", String("abc"), false},
		{"spinner", String("abc"), false}, {"monkey", String("abc"), false}, {"", String("abc"), false},
		{"card", &Value{Kind: KindNumber, Number: "4111111111111111.0"}, true},
	} {
		if got := Private(c.name, c.value); got != c.want {
			t.Errorf("%s %.20s: %v", c.name, c.value.Str, got)
		}
	}
}

// TestDiffShowsNothingPrivate: whatever the text's length and the flags.
func TestDiffShowsNothingPrivate(t *testing.T) {
	long := strings.Repeat("x ", 3000)
	a := Object(Member{"note", String(long + "payer@example.com")}, Member{"password", String("hunter2")}, Member{"n", String("one")})
	b := Object(Member{"note", String(long + "buyer@example.com")}, Member{"password", String("hunter3")}, Member{"n", String("two")})
	shows := func(o DiffOptions) string {
		said := ""
		for _, d := range Diff(a, b, o) {
			said += d.Before + d.After + d.Note
		}
		return said
	}
	for _, o := range []DiffOptions{{}, {Sensitive: []Pointer{{"nope"}}, Looks: true}} {
		said := shows(o)
		if strings.Contains(said, "example") || strings.Contains(said, "hunter") || !strings.Contains(said, "one") {
			t.Errorf("%+v: %s", o, said)
		}
	}
	if said := shows(DiffOptions{Public: true}); !strings.Contains(said, "hunter2") {
		t.Error(said)
	}
}

func TestErrorsShowNoPrivateName(t *testing.T) {
	for _, src := range []string{
		`{"payer@example.com":1,"payer@example.com":2}`,
		`{"x":{"payer@example.com":1e999}}`,
		`{"4111111111111111":9007199254740993}`,
	} {
		_, err := Payload([]byte(src), Policy{Public: true})
		if err == nil || strings.Contains(err.Error(), "payer") || strings.Contains(err.Error(), "4111") || !strings.Contains(err.Error(), masked) {
			t.Errorf("%s: %v", src, err)
		}
	}
	if _, err := Payload([]byte(`{"payer":1,"payer":2}`), Policy{}); err == nil || !strings.HasPrefix(err.Error(), "/payer: ") {
		t.Error(err)
	}
}

func TestFlagsAloneDoNotMakePublic(t *testing.T) {
	mail := []byte(`{"e":"payer@example.com"}`)
	named := []Pointer{{"nope"}}
	if _, err := Payload(mail, Policy{Sensitive: named}); err != nil {
		t.Error(err) // a recipe's words: it knows its payloads
	}
	if _, err := Payload(mail, Policy{Sensitive: named, Looks: true}); err == nil {
		t.Error("a pointer that names nothing made an address public")
	}
}

func TestRequestsGiveNothingPrivateAway(t *testing.T) {
	text := Request{Method: "POST", Target: "/", MediaType: "text/plain", Body: []byte("pay payer@example.com")}
	for name, c := range map[string]struct {
		req  Request
		want string
	}{
		"text body":        {text, "body: looks like an email address"},
		"broken JSON":      {Request{Method: "POST", MediaType: "text/json", Body: []byte(`{"e":"payer@example.com"`)}, "body: looks like"},
		"path":             {Request{Method: "GET", Target: "/u/payer@example.com"}, "path segment 2: looks like an email address"},
		"encoded path":     {Request{Method: "GET", Target: "/u/payer%40example.com/x"}, "path segment 2: looks like an email address"},
		"card in the path": {Request{Method: "GET", Target: "/4111111111111111"}, "path segment 1: looks like a payment card number"},
		"plain":            {Request{Method: "POST", Target: "/v1/charges/1234567890", MediaType: "text/plain", Body: []byte("hello")}, ""},
		"bytes":            {Request{Method: "POST", Target: "/%zz", MediaType: "image/png", Body: []byte("payer@example.com\xff")}, ""},
		"long text":        {Request{Method: "POST", Target: "/", MediaType: "text/plain", Body: []byte(strings.Repeat("x ", 4000) + "payer@example.com")}, ""},
	} {
		fp, err := RequestFingerprint(c.req, Rules{}, Policy{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want) || fp != "") {
			t.Errorf("%s: %q %v", name, fp, err)
		}
		if _, err := RequestFingerprint(c.req, Rules{}, Policy{Public: true}); err != nil {
			t.Errorf("%s, public: %v", name, err)
		}
	}
}
