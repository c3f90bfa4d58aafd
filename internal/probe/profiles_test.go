package probe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
)

// profiled is a contract with a profile and what no profile can know.
func profiled(p *contract.Profile) string {
	key := ""
	if !p.KeyPlace() {
		key = "header: Idempotency-Key, "
	}
	return strings.Join([]string{"idem: contract/v1", "name: charges", "profile: " + p.Name,
		`target: {base_urls: ["http://127.0.0.1:8080"], allow_hosts: [127.0.0.1], timeout: 10s}`,
		"operations:",
		"  - name: create-charge",
		"    request: {method: POST, path: /v1/charges, headers: {Content-Type: application/json}, body: {order_id: o-1, amount: 1999, currency: EUR}, fresh: [/order_id]}",
		"    key: {" + key + "generate: uuid4}",
		`    effects: {http: {path: "/v1/charges?order_id={fresh:/order_id}", count: "$.data[*]"}}`,
		"    crash: {process: {command: [./api], ready: /healthz}}",
		`    expiry: {advance: [./advance]}`, ""}, "\n")
}

// TestWhatAProfileLeavesOpen: the step of a promise that no source confirms is
// inconclusive, with the missing promise and the place named, for each of them.
func TestWhatAProfileLeavesOpen(t *testing.T) {
	six := map[string]bool{}
	for _, name := range contract.CoreSteps {
		six[name] = true
	}
	tried := 0
	for _, name := range contract.ProfileNames() {
		p, err := contract.ProfileNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		missing := p.Missing()
		if len(missing) == 0 {
			continue
		}
		// In flight is needed only where copies were kept off, or waited although
		// duplicates are refused.
		b := behaviour{inFlight: 409}
		if p.Promise.Duplicate.Value.Mode == "answer" {
			b = behaviour{duplicate: "refused"}
		}
		report, _ := play(t, scene{contract: profiled(p), behaviour: b, only: contract.CoreSteps[:]})
		for _, m := range missing {
			if !six[m.Step] || m.Name == "in_flight" && !p.Promise.Duplicate.Known {
				continue // the extended steps are left out where a promise is not stated
			}
			tried++
			res := stepOf(report, m.Step)
			want := fmt.Sprintf("promise.%s is not stated", m.Name)
			named := false
			for _, r := range res.Reasons {
				named = named || strings.Contains(r.Text, want) && r.Line == 6 && strings.Contains(r.Settle, "promise."+m.Name)
			}
			switch {
			case m.Name == "in_flight" && name == "mangopay" && res.Verdict == probe.Pass && !named:
				continue // every copy that lost got the duplicate's own 409: nothing else was needed
			case m.Name == "in_flight" && name == "gocardless" && res.Verdict == probe.Fail && named:
				continue // the simulated API answers duplicates without the link, and fail beats inconclusive
			}
			if res.Verdict != probe.Inconclusive || !named {
				t.Errorf("%s, %s: %s is %s, %+v", name, m.Name, m.Step, res.Verdict, res.Reasons)
			}
		}
	}
	if tried < 60 {
		t.Errorf("only %d promises tried", tried)
	}
}

// TestFindingsQuoteTheProfile: the requirement of a finding says whose promise
// was broken, at the line that names the profile.
func TestFindingsQuoteTheProfile(t *testing.T) {
	p, err := contract.ProfileNamed("zalando")
	if err != nil {
		t.Fatal(err)
	}
	report, _ := play(t, scene{contract: profiled(p), behaviour: behaviour{fault: "ignores keys", conflict: 400}, only: []string{"duplicate"}})
	res := stepOf(report, "duplicate")
	if len(res.Findings) == 0 {
		t.Fatalf("%+v", res)
	}
	f := res.Findings[0]
	if f.Line != 3 || !strings.HasPrefix(f.Requirement, "contract.yaml:3 `profile zalando`: ") {
		t.Errorf("line %d: %s", f.Line, f.Requirement)
	}
}

func stepOf(r *probe.Report, name string) probe.Result {
	for _, s := range r.Operations[0].Steps {
		if s.Step == name {
			return s
		}
	}
	return probe.Result{}
}
