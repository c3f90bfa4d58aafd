package contract

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

const httpContract = `idem: contract/v1
name: t
target: {base_urls: ["https://127.0.0.1:1"]%}
operations:
  - name: charge
    request: {method: POST, path: /charges}
    key: {header: Idempotency-Key, generate: uuid4}
`

func versioned(t *testing.T, text string) *Contract {
	t.Helper()
	c, err := Parse("t.yaml", []byte(strings.Replace(httpContract, "%", text, 1)), nil)
	if err != nil {
		t.Fatalf("%s: %v (hint %q)", text, err, problem.Hint(err))
	}
	return c
}

func TestVersionOfHTTP(t *testing.T) {
	for text, want := range map[string]string{
		``: "auto", `, http: auto`: "auto", `, http: "auto"`: "auto",
		`, http: 1.1`: "1.1", `, http: "1.1"`: "1.1", `, http: '1.1'`: "1.1", `, http: 1.10`: "1.1",
		`, http: 2`: "2", `, http: "2"`: "2", `, http: 2.0`: "2",
	} {
		if got := versioned(t, text).Target.HTTP; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// An override is of the copy alone, and reading the file again forgets it.
func TestSpeaking(t *testing.T) {
	c := versioned(t, `, http: 1.1`)
	for version, want := range map[string]string{"": "1.1", "auto": "auto", "1.1": "1.1", "2": "2"} {
		other, err := c.Speaking(version)
		if err != nil || other.Target.HTTP != want || c.Target.HTTP != "1.1" {
			t.Errorf("%q: %v, %v, want %q", version, other.Target.HTTP, err, want)
			continue
		}
		if again, err := other.Resolve(func(string) (string, bool) { return "", false }); err != nil || again.Target.HTTP != "1.1" {
			t.Errorf("%q read again: %v, %v", version, again.Target.HTTP, err)
		}
	}
	for _, version := range []string{"1", "1.0", "2.0", "3", "h2", "HTTP/2", " 2"} {
		if _, err := c.Speaking(version); err == nil || problem.Hint(err) != "one of auto, 1.1, 2" {
			t.Errorf("%q: %v", version, err)
		}
	}
}
