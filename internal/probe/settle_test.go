package probe_test

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
)

// TestSettleSaysWhatMayBeStated: who reads that a promise is missing need not
// look up which values it may have.
func TestSettleSaysWhatMayBeStated(t *testing.T) {
	const silent = `
idem: contract/v1
name: silent
target: {base_urls: ["http://127.0.0.1:1"], allow_hosts: [127.0.0.1]}
operations:
  - name: charge
    request: {method: POST, path: /v1/charges, headers: {Content-Type: application/json}, body: {order_id: "o-1"}, fresh: [/order_id]}
    key: {header: Idempotency-Key, generate: uuid4}
    promise: {}
    crash: {process: {command: [api], ready: /health}}
`
	spec, err := contract.Parse("silent.yaml", []byte(silent), nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := probe.Plans(spec.Operations[0], probe.Env{RunID: "0000000000000000", Keys: probe.GeneratedKeys{}}, probe.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"conflict": "{status: [422]}, replay or execute", "reorder": "semantic, bytes or any",
		"crash": "a duration such as 30s; or crash.recovery", "expiry": "{at_least: 24h, at_most: 25h}"}
	for _, p := range plans {
		form, open := want[p.Step]
		if open && (!strings.HasPrefix(p.Idle.Settle, "state promise.") || !strings.HasSuffix(p.Idle.Settle, form)) {
			t.Errorf("%s: %q does not end with %q", p.Step, p.Idle.Settle, form)
		}
		delete(want, p.Step)
	}
	if len(want) > 0 {
		t.Errorf("not planned: %v", want)
	}
	// What is needed of every step is found out when it is judged.
	r, _ := play(t, scene{contract: strings.Replace(charge, "duplicate: replay", "compare: json", 1)})
	told := 0
	for _, s := range r.Operations[0].Steps {
		for _, reason := range s.Reasons {
			if strings.Contains(reason.Text, "promise.duplicate is not stated") {
				told++
				if !strings.Contains(reason.Settle, "replay, current or an answer") {
					t.Errorf("%s: %q", s.Step, reason.Settle)
				}
			}
		}
	}
	if told == 0 {
		t.Error("no step misses promise.duplicate")
	}
}
