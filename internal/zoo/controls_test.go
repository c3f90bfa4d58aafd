package zoo

import (
	"slices"
	"testing"
)

// fooled is a variant on which a verifier without a control would go wrong.
type fooled struct{ name, why string }

// controls gives for each control (contract-v1, Steps, Controls come first) the
// faults that would pass without it and the styles that would be accused.
var controls = map[string]struct{ faults, styles []fooled }{
	"counter": {
		faults: []fooled{
			{"runs-behind-replay", "every answer is right: a counter that only knows whether there is an effect passes it"},
			{"runs-late", "the second effect comes when a counter that is read once has been read"},
			{"loser-runs-too", "all copies get one answer: only a counter that counts each effect tells"},
		},
		styles: []fooled{
			{"counts-at-most-one", "two operations count as one: believed, that counter shows effects that are missing"},
			{"unique-orders", "the same values under another key are refused: what doubles for others does not here"},
			{"lagging-counter", "an effect that is not counted yet is not missing"},
		},
	},
	"mutation": {
		faults: []fooled{
			{"ignores-body", "plain validation refuses some changes with the conflict's own 422, under any key"},
			{"covers-amount-only", "the refusal of an unknown member is taken for the conflict that a known one would not get"},
		},
		styles: []fooled{
			{"only-euros", "another currency gets 400 where the conflict is 422: validation, under any key"},
			{"conflict-400", "plain validation answers with the conflict's status and without its code"},
		},
	},
	"environment": {
		faults: []fooled{
			{"duplicate-gets-429", "429 to duplicates alone is no limit: to excuse every 429 is to pass it"},
			{"loser-gets-503", "503 to losers alone is no outage: to excuse every 503 is to pass it"},
		},
		styles: []fooled{
			{"rate-limited", "429 to whatever comes too fast, duplicates or not"},
			{"gateway-503", "503 now and then, which no duplicate has brought about"},
			{"gateway-504", "the answer is lost and the operation done"},
			{"resets-sometimes", "a connection that ends now and then"},
		},
	},
}

func TestEveryControlHasWhoeverWouldFoolIt(t *testing.T) {
	for name, c := range controls {
		if len(c.faults) < 2 || len(c.styles) < 2 {
			t.Errorf("%s: %d faults and %d styles", name, len(c.faults), len(c.styles))
		}
		for _, f := range c.faults {
			if v, ok := Fault(f.name); !ok || f.why == "" || !v.IsFault() {
				t.Errorf("%s: there is no fault %s, or no reason", name, f.name)
			}
		}
		for _, f := range c.styles {
			if v, ok := Style(f.name); !ok || f.why == "" || v.IsFault() {
				t.Errorf("%s: there is no style %s, or no reason", name, f.name)
			}
		}
	}
}

// TestValidationLooksLikeConflict: on the faults of the mutation control a change
// that validation refuses gets the conflict's status, under a key of its own too,
// and one that it takes does not.
func TestValidationLooksLikeConflict(t *testing.T) {
	for _, f := range controls["mutation"].faults {
		v, _ := Fault(f.name)
		r := newRig(t, v)
		r.want(r.charge(), 201)
		r.want(r.with(order("o", `"colour":"red"`)), 422)
		r.want(r.send("POST", "/v1/charges", "k2", order("o", `"colour":"red"`)), 422)
		r.want(r.with(order("o", `"note":"red"`)), 201)
	}
}

// TestTroubleIsOfDuplicatesAlone: on the faults of the environment control other
// keys are served while duplicates meet trouble, which on its styles all meet.
func TestTroubleIsOfDuplicatesAlone(t *testing.T) {
	for _, f := range controls["environment"].faults {
		v, _ := Fault(f.name)
		r := newRig(t, v)
		r.gate.shut()
		first := make(chan reply)
		go func() { first <- r.charge() }()
		r.eventually("the first is at work", func() bool { return r.gate.entered() == 1 })
		if !slices.Contains(v.Caught, "duplicate") {
			r.want(r.charge(), 503)
		}
		r.gate.open()
		r.want(<-first, 201)
		if slices.Contains(v.Caught, "duplicate") {
			r.want(r.charge(), 429)
		}
		r.want(r.send("POST", "/v1/charges", "k2", order("o2")), 201)
	}
	for _, name := range []string{"gateway-503", "gateway-504", "rate-limited"} {
		v, _ := Style(name)
		r := newRig(t, v)
		met := false
		for range 2 * rateBurst {
			got := r.send("POST", "/v1/charges", "fresh", `{}`)
			met = met || got.status == 429 || got.status == 503 || got.status == 504
		}
		if !met {
			t.Errorf("%s: a request alone met no trouble", name)
		}
	}
}
