package contract

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

const acceptedContract = `idem: contract/v1
name: t
target: {base_urls: ["http://127.0.0.1:1"]}
operations:
  - name: charge
    request: {method: POST, path: /graphql}
    key: {header: Idempotency-Key, generate: uuid4}
    promise:
      accepted: %
`

func TestAccepted(t *testing.T) {
	c, err := Parse("t.yaml", []byte(strings.Replace(acceptedContract, "%", `{status: [200], json: {/data/createCharge/userErrors: []}}`, 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Operations[0].Promise.Accepted
	for body, want := range map[string]bool{
		`{"data":{"createCharge":{"id":"c-1","userErrors":[]}}}`:                  true,
		`{"data":{"createCharge":{"userErrors":[{"code":"TAKEN"}]}}}`:             false,
		`{"data":null,"errors":[{"message":"no","extensions":{"code":"INNER"}}]}`: false,
		`<html>`: false,
		``:       false,
	} {
		if got := m.Match(200, nil, []byte(body)); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
	if m.Match(500, nil, []byte(`{"data":{"createCharge":{"userErrors":[]}}}`)) {
		t.Error("500 is accepted")
	}
	for text, want := range map[string]string{
		`{status: [409]}`:      "t.yaml:9:27: 409 says that nothing was done",
		`{status: [200, 308]}`: "308 says that nothing was done",
		`{}`:                   "says of no answer that it counts",
		`execute`:              "must say which answers count",
		`200`:                  "must say which answers count",
		`{jsn: {/ok: true}}`:   `unknown key "jsn"`,
		`{json: {ok: true}}`:   "json",
	} {
		_, err := Parse("t.yaml", []byte(strings.Replace(acceptedContract, "%", text, 1)), nil)
		if err == nil || !strings.Contains(err.Error(), want) || problem.Hint(err) == "" {
			t.Errorf("%s: %v (hint %q), want %q", text, err, problem.Hint(err), want)
		}
	}
}

func TestCounterReads(t *testing.T) {
	const operation = `idem: contract/v1
name: t
target: {base_urls: ["http://127.0.0.1:1"]}
operations:
  - name: charge
    request: {method: POST, path: /, body: {a: "1", b: "2"}, fresh: [/a, /b]}
    key: {header: Idempotency-Key, generate: uuid4}
    effects: %
`
	for effects, want := range map[string][2]bool{
		`responses`: {false, false},
		`{http: {path: "/x?a={fresh:/a}", count: "$.n"}}`:                                   {true, false},
		`{http: {path: "/x", count: "$.data[?@.b=='{fresh:/b}']"}}`:                         {false, true},
		`{command: {run: [count, "{fresh:/b}"]}}`:                                           {false, true},
		`{command: {run: [count]}}`:                                                         {true, true}, // by its environment
		`{sql: {dsn_env: D, query: "select 1 from t where a=$1 and b=$2", args: [/a, /b]}}`: {true, true},
		`{sink: {listen: "127.0.0.1:9", match: /a}}`:                                        {true, false},
		`{sink: {listen: "127.0.0.1:9", match: /order}}`:                                    {true, true}, // whichever arrives there
	} {
		c, err := Parse("t.yaml", []byte(strings.Replace(operation, "%", effects, 1)), nil)
		if err != nil {
			t.Errorf("%s: %v", effects, err)
			continue
		}
		o := c.Operations[0]
		if got := [2]bool{o.CounterReads("/a"), o.CounterReads("/b")}; got != want {
			t.Errorf("%s: %v, want %v", effects, got, want)
		}
	}
}

// TestCompanionTakesASecond: what it says has whole seconds, so a server that
// counts from it forgets up to one earlier.
func TestCompanionTakesASecond(t *testing.T) {
	const operation = `idem: contract/v1
name: t
target: {base_urls: ["http://127.0.0.1:1"]}
operations:
  - name: widget
    request: {method: POST, path: /}
    key: {header: Repeatability-Request-ID, generate: uuid4%}
    promise: {retention: {at_least: 5m, at_most: 6m}}
    expiry: {wait: 6s}
`
	for key, want := range map[string]string{"": "6s 7.2s", ", companion: {header: Repeatability-First-Sent, as: imf-fixdate}": "5s 7.2s"} {
		c, err := Parse("t.yaml", []byte(strings.Replace(operation, "%", key, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		atLeast, atMost, _ := c.Operations[0].ExpiryRetention()
		if got := atLeast.String() + " " + atMost.String(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
