package determ

import (
	"reflect"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// What is derived, locked and found wrong is the same by every engine, and
// every listed version of a recipe follows the current one's.
func TestEnginesDeriveTheSame(t *testing.T) {
	const text = `{idem: recipe/v1, namespace: acme.payments, operation: charge, version: 2, prefix: chg, boundary: One for each cart.,
  identity: {cart: /cart, "é\n": {pointer: /n, type: number}}, key: {kid: k1, env: K},
  next: [{version: 3, numbers: ieee754}], previous: [{version: 1, until: 2026-12-31T00:00:00Z, identity: {cart: /cart}}],
  example: {payload: {cart: "c\u00e9", n: 1.50}, id: chg_2_00000000000000000000000000000000}}`
	payload := []byte(`{"n":1e2,"cart":{"b":1,"a":[0.10]}}`)
	type outcome struct {
		ids, digests []string
		lock         string
		findings     []Finding
		refusal      string
	}
	var want outcome
	for i, engine := range []fingerprint.Engine{fingerprint.Own, fingerprint.Reference, fingerprint.CrossCheck} {
		r, err := Parse("r.yaml", []byte(text))
		if err == nil {
			err = r.Use(engine)
		}
		if err != nil {
			t.Fatal(err)
		}
		var got outcome
		for _, l := range r.All() {
			if l.Recipe.engine != engine {
				t.Errorf("the %s version has engine %d", l.State, l.Recipe.engine)
			}
			d, err := l.Recipe.DeriveText(payload, nil, TestSecret("k1"))
			if err != nil {
				t.Fatal(err)
			}
			got.ids, got.digests = append(got.ids, d.ID), append(got.digests, l.Recipe.Digest())
			if e, err := d.Explain(); e.Canonical == "" || err != nil {
				t.Error("nothing is explained", err)
			}
		}
		lock := NewLock("idem.lock")
		if _, err := lock.Add(r); err != nil {
			t.Fatal(err)
		}
		got.lock = string(lock.Bytes())
		if got.findings, err = Lint("r.yaml", []byte(text), LintOptions{Engine: engine}); err != nil || len(got.findings) == 0 {
			t.Fatal(got.findings, err)
		}
		_, err = r.DeriveText([]byte(`{"n":9007199254740993,"cart":1}`), nil, TestSecret("k1"))
		if err == nil {
			t.Fatal("a lossy number is taken")
		}
		if got.refusal = err.Error(); i == 0 {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("engine %d:\n got %+v\nwant %+v", engine, got, want)
		}
	}
}
