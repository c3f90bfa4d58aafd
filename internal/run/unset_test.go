package run

import (
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
)

// TestUnsetCredentialsAtOnce: both principals' variables in one error.
func TestUnsetCredentialsAtOnce(t *testing.T) {
	spec, err := contract.Parse("two.yaml", []byte(`idem: contract/v1
name: two
target:
  base_urls: ["http://127.0.0.1:1"]
  allow_hosts: [127.0.0.1]
  auth: {header: Authorization, env: ONE}
  other_auth: {header: Authorization, env: TWO}
operations:
  - name: charge
    request: {method: POST, path: /v1/charges, body: {order_id: "o-1"}, fresh: [/order_id]}
    key: {header: Idempotency-Key, generate: uuid4}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set        map[string]string
		want, hint string
	}{
		{nil, "two.yaml:6: the environment variables ONE and TWO are not set", "export ONE=... TWO=..."},
		{map[string]string{"ONE": "x", "TWO": ""}, "two.yaml:7: the environment variable TWO is not set", "export TWO=..."},
		{map[string]string{"ONE": "x", "TWO": "y"}, "", ""},
	} {
		_, err := Prepare(t.Context(), Options{Contract: spec, Selection: probe.Selection{Only: []string{"duplicate"}}, Seed: 1,
			RunID: "0123456789abcdef", Keys: probe.GeneratedKeys{}, Began: time.Now(),
			Lookup: func(name string) (string, bool) { v, ok := c.set[name]; return v, ok }})
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || err.Error() != c.want || problem.Hint(err) != c.hint {
			t.Errorf("%v: %v (%s), want %s", c.set, err, problem.Hint(err), c.want)
		}
	}
}
