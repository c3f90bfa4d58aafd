package fingerprint

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// vectors is the part of testdata/vectors/determ-v1.json that is about fingerprints.
type vectors struct {
	Fingerprint []struct {
		Name, Payload, Canonical string
		PayloadFP                string `json:"payload_fp"`
		keyedVector
	}
	Request []requestVector
}

type keyedVector struct {
	Secret    string `json:"keyed_secret_hex"`
	Namespace string `json:"keyed_namespace"`
	Kid       string
	KeyedFP   string `json:"keyed_fp"`
}

func (k keyedVector) key(t *testing.T) *Keyed {
	t.Helper()
	secret, err := hex.DecodeString(k.Secret)
	if err != nil {
		t.Fatal(err)
	}
	return &Keyed{Secret: secret, Kid: k.Kid, Namespace: k.Namespace}
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	var v vectors
	readJSON(t, "../../testdata/vectors/determ-v1.json", &v)
	if len(v.Fingerprint) < 4 || len(v.Request) < 7 {
		t.Fatalf("%d and %d vectors", len(v.Fingerprint), len(v.Request))
	}
	return v
}

func TestPayloadVectors(t *testing.T) {
	for _, v := range readVectors(t).Fingerprint {
		t.Run(v.Name, func(t *testing.T) {
			src := []byte(v.Payload)
			wantCanonical(t, src, Strict, v.Canonical)
			if got, err := Payload(src, Policy{}); err != nil || got != v.PayloadFP {
				t.Errorf("got %s, %v", got, err)
			}
			if got, err := Payload(src, Policy{Key: v.key(t)}); err != nil || got != v.KeyedFP {
				t.Errorf("keyed: got %s, %v", got, err)
			}
			other := v.key(t)
			other.Namespace += ".other"
			if got, err := Payload(src, Policy{Key: other}); err != nil || got == v.KeyedFP {
				t.Errorf("another namespace gives %s, %v", got, err)
			}
		})
	}
}

func TestKeyedRefused(t *testing.T) {
	secret := []byte(strings.Repeat("\xA5", 32))
	for want, k := range map[string]Keyed{
		"the secret has 31 bytes, and 32 are the least": {secret[:31], "k1", "t"},
		"the kid is not 1 to 16 of a-z and 0-9":         {secret, "K1", "t"},
	} {
		if got, err := Payload([]byte("{}"), Policy{Key: &k}); err == nil || err.Error() != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
	for _, kid := range []string{"", "k_1", strings.Repeat("k", 17), "k1\n"} {
		if _, err := Payload([]byte("{}"), Policy{Key: &Keyed{secret, kid, "t"}}); err == nil {
			t.Errorf("kid %q is taken", kid)
		}
	}
	for _, namespace := range []string{"", "A", "a..b", ".a", "a.", "a-_b", "a b", strings.Repeat("n", 65)} {
		_, err := Payload([]byte("{}"), Policy{Key: &Keyed{secret, "k1", namespace}})
		if err == nil {
			t.Errorf("namespace %q is taken", namespace)
		}
	}
	for _, namespace := range []string{"a", "acme.payments", "a-b_c.9", strings.Repeat("n", 64)} {
		if _, err := Payload([]byte("{}"), Policy{Key: &Keyed{secret, "k1", namespace}}); err != nil {
			t.Errorf("namespace %q: %v", namespace, err)
		}
	}
}

func TestKeyedNeverPrintsItsSecret(t *testing.T) {
	k := Keyed{Secret: []byte("correct horse battery staple 1234"), Kid: "k1", Namespace: "t"}
	p := Policy{Key: &k}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{k, &k, p} {
			if got := fmt.Sprintf(verb, value); strings.Contains(got, "horse") || strings.Contains(got, "686f727365") || strings.Contains(got, "99 111") {
				t.Errorf("%s prints %s", verb, got)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	a, b := strings.Repeat("0a", 32), strings.Repeat("0b", 32)
	for _, c := range []struct {
		x, y string
		want Comparison
	}{
		{"sha256:" + a, "sha256:" + a, Same},
		{"sha256:" + a, "sha256:" + b, Different},
		{"req1:" + a, "req1:" + b, Different},
		{"reqk1:k1:" + a, "reqk1:k1:" + a, Same},
		{"hmac-sha256:k1:" + a, "hmac-sha256:k1:" + b, Different},
		{"hmac-sha256:k1:" + a, "hmac-sha256:k2:" + a, Unknown},
		{"hmac-sha256:k1:" + a, "reqk1:k1:" + a, Unknown},
		{"sha256:" + a, "req1:" + a, Unknown},
		{"sha256:" + a, "hmac-sha256:k1:" + a, Unknown},
		{"sha256:" + a[1:], "sha256:" + a[1:], Unknown},
		{"sha256:" + strings.ToUpper(a), "sha256:" + a, Unknown},
		{"md5:" + a, "md5:" + a, Unknown},
		{"sha256:k1:" + a, "sha256:k1:" + a, Unknown},
		{"hmac-sha256:" + a, "hmac-sha256:" + a, Unknown},
		{"hmac-sha256:K:" + a, "hmac-sha256:K:" + a, Unknown},
		{"", "", Unknown},
		{a, a, Unknown},
		{"sha256:" + a + "\n", "sha256:" + a + "\n", Unknown},
	} {
		if got := Compare(c.x, c.y); got != c.want {
			t.Errorf("%s and %s: %s", c.x, c.y, got)
		}
		if got := Compare(c.y, c.x); got != c.want {
			t.Errorf("%s and %s: %s", c.y, c.x, got)
		}
	}
}
