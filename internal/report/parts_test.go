package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
)

const whole = `idem: contract/v1
name: charges
target: {base_urls: [http://127.0.0.1:9]}
operations:
  - name: other
    request: {method: DELETE, path: /v1/other}
    key: {query: k, generate: uuid4}
  - name: create-charge
    request:
      method: POST
      path: /v1/charges
      body: {order_id: "o-1", amount: 1999}
      fresh: [/order_id]
    fingerprint:
      headers: [Accept]
      ignore: [/note]
    key:
      header: Idempotency-Key
      syntax: bare
      generate: uuid4
    promise:
      accepted: {status: [201]}
      duplicate: replay
      compare: json
      marker: {header: Idempotent-Replayed, value: "true"}
      same_headers: [Location]
      ignore: [/served_at]
      stored: {"2xx": replay}
      conflict:
        status: [422]
        covers: [""]
        ignore: [/note]
        types: strict
      in_flight: {wait: true}
      reorder: semantic
      retention:
        at_least: 24h
        at_most: 25h
        from: completion
      after_retention: execute
      retry_window: 1h
      lease: 1s
    effects: responses
    expiry:
      wait: 5s
`

// parsed gives a contract's operation with its sections.
func parsed(t *testing.T, text, operation string) map[string][]Fact {
	t.Helper()
	c, err := contract.Parse("contract.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.Operations {
		if o.Name == operation {
			steps := []DryStep{{Step: "expiry", Lines: []PlanLine{{Action: "thread", Text: "retained, overlaps others"}, {Depth: 1, Action: "count"}, {Action: "thread", Text: "forgotten"}}}}
			s := SectionsOf(o, FingerprintFacts(o, "req1", "req1:aa"), []Fact{{Name: "made_by", Value: "generated"}}, steps)
			Locate(c, []DryOperation{{Name: o.Name, Sections: s}})
			out := map[string][]Fact{}
			for _, part := range s.named() {
				out[part.name] = part.facts
			}
			return out
		}
	}
	t.Fatalf("no operation %s", operation)
	return nil
}

// TestFactsKnowTheirLines: what the contract states is found on the line that
// states it.
func TestFactsKnowTheirLines(t *testing.T) {
	lines := strings.Split(whole, "\n")
	wanted := map[string]string{
		"request_fingerprint/form": "fingerprint:", "request_fingerprint/first_planned": "request:",
		"request_fingerprint/headers": "headers: [Accept]", "request_fingerprint/ignore": "ignore: [/note]",
		"stable_id/travels_in": "header: Idempotency-Key", "stable_id/made_by": "generate: uuid4",
		"duplicate/answer": "duplicate: replay", "duplicate/effects": "duplicate: replay", "duplicate/counted_by": "effects: responses",
		"replay/ignore": "ignore: [/served_at]", "conflict/answer": "conflict:", "conflict/ignore": "ignore: [/note]",
		"retention/tested_by": "wait: 5s", "retention/tests": "expiry:",
	}
	facts := 0
	for section, all := range parsed(t, whole, "create-charge") {
		for _, f := range all {
			facts++
			name := section + "/" + f.Name
			want := wanted[name]
			if want == "" {
				want = f.Name + ":"
			}
			if !f.Stated || f.Open || f.Line == 0 || !strings.HasPrefix(strings.TrimSpace(lines[f.Line-1]), want) {
				t.Errorf("%s: line %d (stated %v, open %v) is %q, and not one with %q", name, f.Line, f.Stated, f.Open, lines[max(f.Line, 1)-1], want)
			}
		}
	}
	if facts < 30 {
		t.Errorf("only %d facts", facts)
	}
}

// TestWhatIsNotStated: what is left open is not known, what is a default is
// known and not stated, and both have the line of the block that lacks them.
func TestWhatIsNotStated(t *testing.T) {
	said := map[string]string{}
	for section, all := range parsed(t, whole, "other") {
		for _, f := range all {
			said[section+"/"+f.Name] = fmt.Sprintf("open %v, stated %v, line %d", f.Open, f.Stated, f.Line)
		}
	}
	for name, want := range map[string]string{
		"duplicate/answer":            "open true, stated false, line 5",
		"duplicate/counted_by":        "open true, stated false, line 5",
		"conflict/answer":             "open true, stated false, line 5",
		"retention/at_least":          "open true, stated false, line 5",
		"retention/lease":             "open true, stated false, line 5",
		"replay/compare":              "open false, stated false, line 5",
		"retention/after_retention":   "open false, stated false, line 5",
		"stable_id/syntax":            "open false, stated false, line 7",
		"stable_id/travels_in":        "open false, stated true, line 7",
		"request_fingerprint/method":  "open false, stated true, line 6",
		"request_fingerprint/body":    "open false, stated false, line 6",
		"request_fingerprint/headers": "open false, stated false, line 5",
	} {
		if said[name] != want {
			t.Errorf("%s: %s, not %s", name, said[name], want)
		}
	}
}

// TestAPlainRetentionIsStated: a duration alone is at_least.
func TestAPlainRetentionIsStated(t *testing.T) {
	text := strings.Replace(whole, "      retention:\n        at_least: 24h\n        at_most: 25h\n        from: completion\n", "      retention: 24h\n", 1)
	for _, f := range parsed(t, text, "create-charge")["retention"] {
		if f.Name == "at_least" && (!f.Stated || f.Line != 36) || f.Name == "at_most" && (f.Stated || !f.Open || f.Line != 36) {
			t.Errorf("%+v", f)
		}
	}
}

// TestEverySectionHasItsTitle: the names of the six parts are for ever.
func TestEverySectionHasItsTitle(t *testing.T) {
	var got []string
	for _, p := range partsJSON(nil) {
		got = append(got, p.Part)
	}
	want := "request-fingerprint contract, stable-ID recipe, duplicate behaviour, replay response, conflict policy, retention tests"
	if strings.Join(got, ", ") != want {
		t.Errorf("the parts are %v", got)
	}
}

// TestNoExpiryNoTests: where nothing is planned, no test is told.
func TestNoExpiryNoTests(t *testing.T) {
	if f := retentionTests([]DryStep{{Step: "duplicate", Lines: []PlanLine{{Action: "thread", Text: "x"}}}, {Step: "expiry"}}); !f.Open || f.List != nil {
		t.Errorf("%+v", f)
	}
}
