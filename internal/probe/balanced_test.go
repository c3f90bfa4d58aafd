package probe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// behindOne is trade where both replicas stand behind one URL.
var behindOne = strings.Replace(trade, `, "http://127.0.0.1:8081"`, "", 1)

// marked behindOne promises a marker.
var markedBehindOne = changedOf(behindOne, `marker: {header: Idempotent-Replayed, value: "true"}`)

// tellsInFlight promises an answer while a key is in flight, or waiting.
var tellsInFlight = changedOf(behindOne, "in_flight: {status: [409], wait: true}")

func balancedScene(contract string, w ways) scene {
	if contract == "" {
		contract = behindOne
	}
	if w.balancer == "" {
		w.balancer = "turns"
	}
	return scene{contract: contract, market: &w, only: []string{"duplicate", "concurrent", "conflict", "scope", "replicas"}}
}

// TestBalancedFaults: what replicas behind one URL do wrong is found by the
// replicas step, whatever the others find.
func TestBalancedFaults(t *testing.T) {
	for _, c := range []struct {
		name     string
		contract string
		ways     ways
		want     []string // slugs of the step, some of those found
	}{
		{"keys per replica", "", ways{fault: "keys per replica"}, []string{"replicas/effect-ran-twice", "replicas/other-answer", "replicas/conflict-not-seen", "replicas/results-differ"}},
		{"keys per replica, an idle one is chosen", "", ways{fault: "keys per replica", balancer: "idle"}, []string{"replicas/effect-ran-twice"}},
		{"keys per replica, refusals are shy", "", ways{fault: "keys per replica", shy: true}, []string{"replicas/effect-ran-twice"}},
		{"claims per replica", "", ways{fault: "claims per replica"}, []string{"replicas/effect-ran-twice"}},
		{"prints per replica", "", ways{fault: "prints per replica"}, []string{"replicas/conflict-not-seen"}},
		{"prints per replica, refusals are shy", "", ways{fault: "prints per replica", shy: true}, []string{"replicas/conflict-not-seen"}},
		{"unmarked elsewhere", markedBehindOne, ways{marked: true, fault: "unmarked elsewhere"}, []string{"replicas/other-answer"}},
		{"in flight for ever elsewhere", tellsInFlight, ways{fault: "in flight elsewhere"}, []string{"replicas/refused"}},
		{"in flight for ever elsewhere, refusals are shy", tellsInFlight, ways{fault: "in flight elsewhere", shy: true}, []string{"replicas/refused"}},
		{"losers are stuck elsewhere", tellsInFlight, ways{fault: "losers are stuck elsewhere"}, []string{"replicas/stuck-after-race"}},
		{"losers are stuck elsewhere, refusals are shy", tellsInFlight, ways{fault: "losers are stuck elsewhere", shy: true}, []string{"replicas/stuck-after-race"}},
		{"500 elsewhere", "", ways{fault: "500 elsewhere"}, []string{"replicas/refused"}},
		{"500 elsewhere, and refusals are shy", "", ways{fault: "500 elsewhere", shy: true}, []string{"replicas/refused"}},
		{"replays are cached without their print", "", ways{fault: "replays are cached without their print"}, []string{"replicas/conflict-not-seen"}},
		{"others' records are found by key", "", ways{fault: "elsewhere callers share"}, []string{"replicas/other-callers-result"}},
		{"others' records are refused by key", "", ways{fault: "elsewhere callers conflict"}, []string{"replicas/other-caller-refused"}},
		{"other callers are protected where they came first", "", ways{fault: "others unprotected elsewhere"}, []string{"replicas/effect-ran-twice"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, balancedScene(c.contract, c.ways))
			s := step(t, r, "replicas")
			found := map[string]bool{}
			for _, f := range s.Findings {
				found[f.Slug] = true
				tellsItsStory(t, s.Step, f)
			}
			if s.Verdict != probe.Fail {
				t.Errorf("%s\n%s", s.Verdict, outcome(r))
			}
			for _, slug := range c.want {
				if !found[slug] {
					t.Errorf("%s is not found\n%s", slug, outcome(r))
				}
			}
		})
	}
}

// TestBalancedStyles: who is right behind a balancer is not accused, and passes
// where two instances were met.
func TestBalancedStyles(t *testing.T) {
	for i, c := range []struct {
		name     string
		contract string
		ways     ways
		verdict  probe.Verdict
		reason   string
	}{
		{"in turns", "", ways{}, probe.Pass, ""},
		{"an idle one is chosen", "", ways{balancer: "idle"}, probe.Pass, ""},
		{"refusals are shy", "", ways{shy: true}, probe.Pass, ""},
		{"answers differ in other fields", "", ways{signature: true}, probe.Pass, ""},
		{"marked", markedBehindOne, ways{marked: true}, probe.Pass, ""},
		{"the present state", changedOf(behindOne, "duplicate: current"), ways{present: true}, probe.Pass, ""},
		{"keys are one space", changedOf(behindOne, "scope: []"), ways{shared: true}, probe.Pass, ""},
		{"an operation is slow", strings.Replace(slowTrade, `, "http://127.0.0.1:8081"`, "", 1), ways{}, probe.Pass, ""},
		{"conflicts are promised no answer", changedOf(behindOne, "-conflict"), ways{}, probe.Pass, ""},
		{"a result is in flight elsewhere for a while", tellsInFlight, ways{lag: 300 * time.Millisecond}, probe.Pass, ""},
		{"a result is in flight elsewhere for a while, and refusals are shy", tellsInFlight, ways{lag: 300 * time.Millisecond, shy: true}, probe.Pass, ""},
		{"replays lock their key", tellsInFlight, ways{exclusive: true}, probe.Pass, ""},
		{"replays lock their key, an idle one is chosen, refusals are shy", tellsInFlight, ways{exclusive: true, balancer: "idle", shy: true}, probe.Pass, ""},
		{"sticky", "", ways{balancer: "sticky"}, probe.Inconclusive, "all answers come from one instance, by X-Served-By: replica-"},
		{"by keys", "", ways{balancer: "keys"}, probe.Inconclusive,
			"no retry, no request with another body, no request of another caller, no round of overlapping copies met two instances for certain: answers came from replica-, replica-1"},
		{"no names", "", ways{noName: true}, probe.Inconclusive, "no answer has X-Served-By (target.instance): which instance answered is not told"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, events := play(t, balancedScene(c.contract, c.ways))
			s := step(t, r, "replicas")
			var reasons []string
			for _, why := range s.Reasons {
				reasons = append(reasons, why.Text)
			}
			if got := strings.Join(reasons, "; "); s.Verdict != c.verdict || got != c.reason || r.Exit == 1 {
				t.Errorf("%s, exit %d: %q\n%s", s.Verdict, r.Exit, got, outcome(r))
			}
			for n := 1 + i; n < len(events); n += 97 {
				cutShort(t, events, n)
			}
		})
	}
}

// TestInstancesReached: the evidence says how many instances each step met.
func TestInstancesReached(t *testing.T) {
	measured := func(contract string, w ways) map[string]string {
		r, _ := play(t, scene{contract: contract, market: &w, only: []string{"duplicate", "concurrent", "conflict", "scope", "reorder", "replicas"}})
		out := map[string]string{}
		for _, s := range r.Operations[0].Steps {
			for _, m := range s.Evidence.Measures {
				if m.Name == "instances" {
					out[s.Step] = m.Value + "|" + m.Text
				}
			}
		}
		return out
	}
	unnamed := strings.Replace(trade, "  instance: {header: X-Served-By}\n", "", 1)
	const two, one = "2: replica-, replica-1|2 instances answered", "1: replica-|1 instance answered"
	for _, c := range []struct {
		name, contract string
		ways           ways
		want           map[string]string
	}{
		{"behind one URL", behindOne, ways{balancer: "turns"}, map[string]string{"duplicate": two, "concurrent": two, "conflict": two, "scope": two, "replicas": two}},
		{"sticky", behindOne, ways{balancer: "sticky"}, map[string]string{"duplicate": one, "concurrent": one, "conflict": one, "scope": one, "replicas": one}},
		{"a URL each", trade, ways{}, map[string]string{"duplicate": one, "concurrent": one, "conflict": one, "scope": one, "replicas": two}},
		{"a URL each, and no names", unnamed, ways{}, map[string]string{"duplicate": "1 base URL, not told apart by answers|1 base URL answered",
			"concurrent": "1 base URL, not told apart by answers|1 base URL answered", "conflict": "1 base URL, not told apart by answers|1 base URL answered",
			"scope": "1 base URL, not told apart by answers|1 base URL answered", "replicas": "2 base URLs, not told apart by answers|2 base URLs answered"}},
		{"one URL, one instance", strings.Replace(unnamed, `, "http://127.0.0.1:8081"`, "", 1), ways{}, map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := measured(c.contract, c.ways); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v\nwant %v", got, c.want)
			}
		})
	}
}

// TestALimitBeforeReplicas: what the balancer refuses by itself is no replica's
// answer, and accuses nobody.
func TestALimitBeforeReplicas(t *testing.T) {
	for _, every := range []int{7, 20, 60} {
		r, _ := play(t, balancedScene("", ways{limited: every}))
		for _, s := range r.Operations[0].Steps {
			if s.Verdict == probe.Fail {
				t.Errorf("one of %d is refused: %s", every, outcome(r))
			}
		}
	}
}
