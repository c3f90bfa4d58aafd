package trace

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMaskerHidesEverySpelling: a server may write a secret back in whatever
// way its language does.
func TestMaskerHidesEverySpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ -~é]{8,30}`).Draw(t, "secret")
		var m Masker
		m.Add(secret, "auth")
		inner := func(s string) string {
			b, _ := json.Marshal(s)
			return string(b[1 : len(b)-1])
		}
		component := strings.ReplaceAll(url.QueryEscape(secret), "+", "%20")
		for name, spelt := range map[string]string{
			"plain":             secret,
			"JSON":              inner(secret),
			"JSON in JSON":      inner(inner(secret)),
			"query":             url.QueryEscape(secret),
			"component":         component,
			"lower-case escape": lowerEscapes(component),
			"base64":            base64.StdEncoding.EncodeToString([]byte(secret)),
			"base64url":         base64.RawURLEncoding.EncodeToString([]byte(secret)),
			"hexadecimal":       hex.EncodeToString([]byte(secret)),
			"upper hexadecimal": strings.ToUpper(hex.EncodeToString([]byte(secret))),
			"escapes":           unicodeEscapes(secret),
		} {
			if got := m.Text("before " + spelt + " after"); strings.Contains(got, spelt) || !strings.Contains(got, "«auth»") {
				t.Fatalf("%s: %q stays in %q", name, spelt, got)
			}
		}
		header := m.Header([][2]string{{"X-Echo-" + secret, "v"}})
		if strings.Contains(header[0][0], secret) {
			t.Fatalf("a header's name shows it: %q", header[0][0])
		}
	})
}

// TestMaskerFindsEachOfMany: every attempt may have a signature of its own, all
// beginning alike; the longest wins where they overlap.
func TestMaskerFindsEachOfMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(rapid.StringMatching(`HMAC [ab]{4,9}`), 2, 40).Draw(t, "secrets")
		var m Masker
		for _, s := range secrets {
			m.Add(s, "auth")
		}
		for _, s := range secrets {
			for _, got := range []string{m.Text("<" + s + ">"), string(m.Bytes([]byte("<" + s + ">")))} {
				if got != "<«auth»>" {
					t.Fatalf("%q became %q", s, got)
				}
			}
		}
		if got := m.Text("HMA HMAC  aaaa"); got != "HMA HMAC  aaaa" {
			t.Fatalf("innocent text became %q", got)
		}
	})
}

// TestMasksKeepCallersApart: two secrets never become one label.
func TestMasksKeepCallersApart(t *testing.T) {
	var m Masker
	m.Add("token-one", "auth")
	m.Add("token-two", "other_auth")
	m.Add("abc", "short") // too short to be told from innocent text
	if got := m.Text("token-one token-two abc"); got != "«auth» «other_auth» abc" {
		t.Error(got)
	}
	a, b := m.Body([]byte(`{"as":"token-one"}`), 18), m.Body([]byte(`{"as":"token-two"}`), 18)
	if a.SHA256 == b.SHA256 || a.Head != `{"as":"«auth»"}` {
		t.Errorf("%+v %+v", a, b)
	}
}

func TestBodiesAreCutAndTold(t *testing.T) {
	var m Masker
	long := strings.Repeat("x", HeadCap+1)
	if b := m.Body([]byte(long), int64(len(long))); !b.Truncated || len(b.Head) != HeadCap || b.Size != int64(HeadCap+1) {
		t.Errorf("%d bytes kept, truncated %v, size %d", len(b.Head), b.Truncated, b.Size)
	}
	if b := m.Body([]byte{0xff, 0}, 2); !b.Base64 || b.Head != "/wA=" {
		t.Errorf("%+v", b)
	}
	if b := m.Body(nil, 0); b != (Body{}) {
		t.Errorf("%+v", b)
	}
}
