package determ

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func mustParse(t *testing.T, src string) *Recipe {
	t.Helper()
	r, err := Parse("r.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDigestIsOfTheLongForm(t *testing.T) {
	r := mustParse(t, whole)
	want := `{"encode":"id","identity":{` +
		`"cart":{"pointer":"/cart/id","transform":[],"when_absent":"refuse","when_null":"refuse"},` +
		`"cart_version":{"pointer":"/cart/version","transform":[],"type":"integer","when_absent":"refuse","when_null":"refuse"},` +
		`"tenant":{"input":"tenant","transform":["trim/v1","nfc/v1"],"when_absent":"refuse","when_null":"refuse"}},` +
		`"numbers":"strict","prefix":"chg"}`
	sum := sha256.Sum256([]byte(want))
	if got := r.Digest(); got != "sha256:"+hex.EncodeToString(sum[:]) {
		t.Error(got)
	}
}

func TestLockHolds(t *testing.T) {
	l := NewLock("idem.lock")
	added, err := l.Add(mustParse(t, whole))
	if err != nil || added != 3 {
		t.Fatal(added, err)
	}
	read, err := ParseLock("idem.lock", l.Bytes())
	if err != nil || string(read.Bytes()) != string(l.Bytes()) {
		t.Fatalf("%v\n%s", err, l.Bytes())
	}
	// What makes no other ID may change.
	for _, line := range []string{"boundary: Another sentence.", "sensitive: []", "key: {kid: k9, file: k9}", "limits: {preset: ietf}", "encode:", "numbers:",
		"  cart: {pointer: /cart/id}", "example:", "next:", "  tenant: {transform: [trim/v1, nfc/v1], input: tenant, when_null: refuse}"} {
		if err := read.Check(mustParse(t, with(t, line))); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{"prefix: pay", "encode: hex", "numbers: ieee754", "  cart: /cart/number", "  cart: {pointer: /cart/id, type: string}",
		"  cart: {pointer: /cart/id, when_null: allow}", "  cart: {pointer: /cart/id, when_absent: omit}", "  cart: {input: cart}",
		"  tenant: {input: tenant, transform: [nfc/v1, trim/v1]}", "  tenant: {input: tenant}", "  tenant: {input: tenant, transform: [trim/v1, nfc/v1]}\n  more: /x"} {
		err := read.Check(mustParse(t, with(t, line)))
		if err == nil || !strings.Contains(err.Error(), "differs from the acme.payments/checkout.charge/") {
			t.Errorf("%s: %v", line, err)
		}
		if _, err := read.Add(mustParse(t, with(t, line))); err == nil {
			t.Errorf("%s: locked over", line)
		}
	}
	// A listed version is held too, and the error stands at its entry.
	err = read.Check(mustParse(t, with(t, "previous: [{version: 1, prefix: pay, until: 2026-12-31T00:00:00Z, key: {kid: k1, env: K}}]")))
	if err == nil || !strings.HasPrefix(err.Error(), "r.yaml:17:12: the previous version differs") {
		t.Error(err)
	}
	if added, err := read.Add(mustParse(t, with(t, "version: 7"))); err != nil || added != 1 {
		t.Error(added, err)
	}
}

func TestParseLockRefuses(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0", 64)
	for src, want := range map[string]string{
		`{"idem": "lock/v1"}`:                                                                     "idem.lock:1:1: recipes is missing in the lock",
		`{"idem": "lock/v2", "recipes": {}}`:                                                      `idem.lock:1:10: "lock/v2" is not a known idem`,
		`{"idem": "lock/v1", "recipes": [], "x": 1}`:                                              `idem.lock:1:36: unknown key "x" in the lock`,
		`{"idem": "lock/v1", "recipes": []}`:                                                      "idem.lock:1:32: recipes must be an object, not a list",
		`{"idem": "lock/v1", "recipes": {"a/b/1": 1}}`:                                            "idem.lock:1:42: a digest must be a string, not a number",
		`{"idem": "lock/v1", "recipes": {"a/b/1": "md5:1"}}`:                                      "idem.lock:1:42: not a digest of the form sha256:HEX",
		`{"idem": "lock/v1", "recipes": {"a/b/01": "` + digest + `"}}`:                            `"a/b/01" is not NAMESPACE/OPERATION/VERSION`,
		`{"idem": "lock/v1", "recipes": {"a/b": "` + digest + `"}}`:                               `"a/b" is not NAMESPACE/OPERATION/VERSION`,
		`{"idem": "lock/v1", "recipes": {"a/b/1": "` + digest + `", "a/b/1": "` + digest + `"}}`:  `duplicate name "a/b/1"`,
		"<<<<<<< HEAD\n" + `{"idem": "lock/v1", "recipes": {}}` + "\n=======\n>>>>>>> branch\n\n": "idem.lock:",
	} {
		_, err := ParseLock("idem.lock", []byte(src))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
