package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

const twoPlaces = `idem: contract/v1
name: charges
target:
  base_urls: [http://127.0.0.1:8080, "http://${REPLICA}"]
  allow_hosts: [127.0.0.1, staging.example]
operations:
  - name: create
    request: {method: POST, path: /v1/charges, body: {a: 1}}
    key: {header: Idempotency-Key, generate: uuid4}
    promise: {lease: 1s}
    expiry: {wait: 5s, base_urls: [http://short.example]}
`

// TestAt: one base URL takes the place of all, and what may be sent to is still
// what the file says.
func TestAt(t *testing.T) {
	c, err := Parse("c.yaml", []byte(twoPlaces), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(base string) *Contract {
		other, err := c.At(base)
		if err != nil {
			t.Fatalf("%s: %v", base, err)
		}
		return other
	}
	other := at("https://staging.example:8443/api")
	if !slices.Equal(other.Target.BaseURLs, []string{"https://staging.example:8443/api"}) || len(c.Target.BaseURLs) != 2 || other.Operations[0] != c.Operations[0] {
		t.Errorf("%v, and before %v", other.Target.BaseURLs, c.Target.BaseURLs)
	}
	if err := other.CheckHosts(); err == nil || !strings.Contains(err.Error(), "c.yaml:11") {
		t.Errorf("the instance of its own is no longer looked at: %v", err)
	}
	for base, allowed := range map[string]bool{"http://127.0.0.1:9": true, "http://STAGING.example": true, "http://elsewhere.example": false,
		"http://staging.example.evil.example": false, "http://127.0.0.2": false} {
		other := at(base)
		other.urls = other.urls[:1]
		if err := other.CheckHosts(); (err == nil) != allowed {
			t.Errorf("%s: %v", base, err)
		}
	}
	if at("") != c {
		t.Error("no URL changes something")
	}
	if again, err := at("http://127.0.0.1:9").Resolve(func(string) (string, bool) { return "127.0.0.1:1", true }); err != nil || len(again.Target.BaseURLs) != 2 {
		t.Errorf("read again: %v, %v", again, err)
	}
}

func TestAtRefuses(t *testing.T) {
	c, err := Parse("c.yaml", []byte(twoPlaces), nil)
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"staging.example": "is no http or https URL", "ftp://staging.example": "is no http or https URL", "http://": "has no good host",
		"http://u:hunter2@staging.example": "with user name or password", "http://staging.example/?a=1": "with query or fragment",
		"http://${HOST}": "a variable is filled in by contracts alone", "http://staging.example:": "has a colon but no port", "http://*.example": "has no good host",
		"http://a b": "", "\x00": "", "http://[::1": "", " ": "is no http or https URL",
	} {
		_, err := c.At(base)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %s", base, err, want)
			continue
		}
		if strings.Contains(err.Error()+problem.Hint(err), "hunter2") || strings.Contains(problem.Hint(err), "base_urls") {
			t.Errorf("%q: %v, hint %s", base, err, problem.Hint(err))
		}
	}
}
