package probe_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// marketSteps are the steps that these tests are of.
var marketSteps = []string{"missing-key", "binding", "scope", "key-rules", "replicas", "store-down"}

// toldOfMarket is outcome of those steps alone, without their notes.
func toldOfMarket(r *probe.Report) string {
	var out []string
	keep := false
	for _, line := range strings.SplitAfter(outcome(r), "\n") {
		if !strings.HasPrefix(line, " ") {
			keep = false
			for _, s := range marketSteps {
				keep = keep || strings.HasPrefix(line, s+" ")
			}
		}
		if keep {
			out = append(out, line)
		}
	}
	return strings.TrimSuffix(strings.Join(out, ""), "\n")
}

// slowTrade is trade where the contract says what is slow.
var slowTrade = strings.Replace(trade, "      fresh: [/order_id]\n",
	"      fresh: [/order_id]\n      slow: {body: {order_id: \"o-1\", amount: 1999, work_ms: 1500}}\n", 1)

func traded(lines ...string) string { return changedOf(trade, lines...) }

type marketCase struct {
	name     string
	contract string // empty: trade
	ways     ways
	want     string
}

func (c marketCase) scene() scene {
	if c.contract == "" {
		c.contract = trade
	}
	return scene{contract: c.contract, market: &c.ways, only: marketSteps}
}

var marketFaults = []marketCase{
	{name: "keyless share a key", ways: ways{fault: "keyless share a key"}, want: "missing-key fail missing-key/first-result-returned missing-key/effect-ran missing-key/not-refused"},
	{name: "keyless run twice", ways: ways{fault: "keyless run twice"}, want: "missing-key fail missing-key/effect-ran missing-key/not-refused"},
	{name: "keyless answered by body", ways: ways{fault: "keyless answered by body"}, want: "missing-key fail missing-key/effect-ran missing-key/not-refused"},
	{name: "keyless run", ways: ways{fault: "keyless run"}, want: "missing-key fail missing-key/effect-ran missing-key/not-refused"},
	{name: "keyless run and are refused", ways: ways{fault: "keyless run and are refused"}, want: "missing-key fail missing-key/effect-ran"},
	{name: "keyless get 500", ways: ways{fault: "keyless get 500"}, want: "missing-key fail missing-key/not-refused"},
	{name: "endpoints share", ways: ways{fault: "endpoints share"}, want: "binding fail binding/first-result-returned"},
	{name: "endpoints conflict", ways: ways{fault: "endpoints conflict"}, want: "binding fail binding/refused-not-promised"},
	{name: "endpoint takes over", ways: ways{fault: "endpoint takes over"}, want: "binding fail binding/effect-ran-twice"},
	{name: "endpoints do nothing", ways: ways{fault: "endpoints do nothing"}, want: "binding fail binding/effect-missing"},
	{name: "callers share", ways: ways{fault: "callers share"}, want: "scope fail scope/other-callers-result scope/other-callers-conflict\n" +
		"replicas fail replicas/other-callers-result<-scope/other-callers-result replicas/other-caller-refused<-scope/other-callers-result"},
	{name: "callers share, and keys are kept for six seconds", contract: traded("retention: 6s"), ways: ways{fault: "callers share"},
		want: "scope fail scope/other-callers-result scope/other-callers-conflict\n" +
			"replicas fail replicas/other-callers-result<-scope/other-callers-result replicas/other-caller-refused<-scope/other-callers-result"},
	{name: "callers conflict", ways: ways{fault: "callers conflict"}, want: "scope fail scope/other-callers-conflict\n" +
		"replicas fail replicas/other-caller-refused<-scope/other-callers-conflict"},
	{name: "callers get 500", ways: ways{fault: "callers get 500"}, want: "scope fail scope/other-caller-refused\n" +
		"replicas fail replicas/other-caller-refused<-scope/other-caller-refused"},
	{name: "last caller wins", ways: ways{fault: "last caller wins"}, want: "scope fail scope/effect-ran-twice\n" +
		"replicas fail replicas/effect-ran-twice<-scope/effect-ran-twice"},
	{name: "others unprotected", ways: ways{fault: "others unprotected"}, want: "scope fail scope/effect-ran-twice\n" +
		"replicas fail replicas/effect-ran-twice<-scope/effect-ran-twice"},
	{name: "link for callers", ways: ways{fault: "link for callers"}, want: "scope fail scope/other-callers-result\n" +
		"replicas fail replicas/other-callers-result<-scope/other-callers-result"},
	{name: "a field tells of the first", ways: ways{fault: "a field tells of the first"}, want: "scope fail scope/other-callers-result\n" +
		"replicas fail replicas/other-callers-result<-scope/other-callers-result"},
	{name: "callers share a lock and are refused", contract: slowTrade, ways: ways{fault: "callers share a lock + refused by the lock"}, want: "scope fail scope/other-callers-conflict"},
	{name: "callers share a lock and wait", contract: slowTrade, ways: ways{fault: "callers share a lock"}, want: "scope fail scope/other-callers-conflict"},
	{name: "endpoints share a lock and are refused", contract: slowTrade, ways: ways{fault: "endpoints share a lock + refused by the lock"}, want: "binding fail binding/refused-not-promised"},
	{name: "endpoints share a lock and wait", contract: slowTrade, ways: ways{fault: "endpoints share a lock"}, want: "binding fail binding/refused-not-promised"},
	{name: "callers share a lock that is taken late, and wait", contract: slowTrade, ways: ways{fault: "callers share a lock + locks are taken late"}, want: "scope fail scope/other-callers-conflict"},
	{name: "endpoints share a lock that is taken late", contract: slowTrade, ways: ways{fault: "endpoints share a lock + refused by the lock + locks are taken late"}, want: "binding fail binding/refused-not-promised"},
	{name: "queries share", ways: ways{fault: "queries share"}, want: "scope fail scope/query-shares-keys"},
	{name: "endless keys get 500", ways: ways{fault: "endless keys get 500"}, want: "key-rules fail key-rules/server-error"},
	{name: "long keys get 500", ways: ways{fault: "long keys get 500"}, want: "key-rules fail key-rules/valid-key-refused key-rules/server-error"},
	{name: "long keys are cut", ways: ways{fault: "long keys are cut"}, want: "key-rules fail key-rules/bad-key-accepted"},
	{name: "long keys get 422", ways: ways{fault: "long keys get 422"}, want: "key-rules fail key-rules/wrong-answer"},
	{name: "keys are cut", ways: ways{fault: "keys are cut"}, want: "key-rules fail key-rules/keys-merged"},
	{name: "keys are folded", ways: ways{fault: "keys are folded"}, want: "key-rules fail key-rules/keys-merged"},
	{name: "keys are cut at special characters", ways: ways{fault: "keys are cut at special characters"}, want: "key-rules fail key-rules/keys-merged"},
	{name: "special characters are left out", ways: ways{fault: "special characters are left out"}, want: "key-rules fail key-rules/keys-merged"},
	{name: "keys are their ends", ways: ways{fault: "keys are their ends"}, want: "key-rules fail key-rules/keys-merged"},
	{name: "UUIDs are folded", ways: ways{fault: "UUIDs are folded"}, want: "key-rules fail key-rules/keys-merged"},
	{name: "long keys unprotected", ways: ways{fault: "long keys unprotected"}, want: "key-rules fail key-rules/effect-ran-twice"},
	{name: "first of two keys", ways: ways{fault: "first of two keys"}, want: "key-rules fail key-rules/bad-key-accepted"},
	{name: "empty keys are taken", ways: ways{fault: "empty keys are taken"}, want: "key-rules fail key-rules/bad-key-accepted"},
	{name: "keys per replica", ways: ways{fault: "keys per replica"}, want: "replicas fail replicas/effect-ran-twice replicas/other-answer<-replicas/effect-ran-twice replicas/conflict-not-seen replicas/results-differ<-replicas/effect-ran-twice"},
	{name: "claims per replica", ways: ways{fault: "claims per replica"}, want: "replicas fail replicas/effect-ran-twice replicas/results-differ<-replicas/effect-ran-twice"},
	{name: "prints per replica", ways: ways{fault: "prints per replica"}, want: "replicas fail replicas/conflict-not-seen"},
	{name: "unmarked elsewhere", contract: markedTrade, ways: ways{marked: true, fault: "unmarked elsewhere"}, want: "replicas fail replicas/other-answer"},
	{name: "prints are not compared at home", ways: ways{fault: "prints are not compared at home"}, want: "replicas fail replicas/conflict-not-seen"},
	{name: "replays are cached without their print", ways: ways{fault: "replays are cached without their print"}, want: "replicas fail replicas/conflict-not-seen"},
	{name: "runs without store", ways: ways{fault: "runs without store"}, want: "store-down fail store-down/effect-ran-twice store-down/result-lost<-store-down/effect-ran-twice"},
	{name: "runs without store and fails", ways: ways{fault: "runs without store and fails"}, want: "store-down fail store-down/effect-ran-twice"},
	{name: "stuck after outage", ways: ways{fault: "stuck after outage"}, want: "store-down fail store-down/refused"},
	{name: "outage is stored", ways: ways{fault: "outage is stored"}, want: "store-down fail store-down/refused"},
	{name: "comes back empty", ways: ways{fault: "comes back empty"}, want: "store-down fail store-down/effect-ran-twice store-down/result-lost<-store-down/effect-ran-twice"},
	{name: "stuck after an outage, as in flight is declared", contract: traded("in_flight: {status: [409], wait: true}"), ways: ways{fault: "stuck after outage"},
		want: "store-down fail store-down/stuck-in-progress"},
	{name: "hangs for ever after an outage", ways: ways{fault: "hangs after an outage"}, want: "store-down fail store-down/stuck-in-progress"},
	{name: "hangs for ever after an outage, beyond the retention", contract: shortTrade("10s"), ways: ways{fault: "hangs after an outage"},
		want: "store-down fail store-down/stuck-in-progress"},
	{name: "keyless share a key, where they run", contract: traded("missing_key: execute"), ways: ways{fault: "keyless share a key"},
		want: "missing-key fail missing-key/first-result-returned"},
	{name: "keyless run twice, where they run once", contract: traded("missing_key: execute"), ways: ways{fault: "keyless run twice"},
		want: "missing-key fail missing-key/effect-ran-twice"},
	{name: "keyless answered by body, where they run", contract: traded("missing_key: execute"), ways: ways{fault: "keyless answered by body"},
		want: "missing-key fail missing-key/first-result-returned"},
	{name: "keyless refused, where they run", contract: traded("missing_key: execute"), want: "missing-key fail missing-key/refused"},
	{name: "another endpoint runs, where it conflicts", contract: traded("binding: conflict"), want: "binding fail binding/ran-not-promised"},
	{name: "another endpoint runs, where it replays", contract: traded("binding: replay"), want: "binding fail binding/ran-not-promised"},
	{name: "another endpoint refuses, where it replays", contract: traded("binding: replay"), ways: ways{binding: "conflict"},
		want: "binding fail binding/refused-not-promised"},
	{name: "another endpoint replays, where it conflicts", contract: traded("binding: conflict"), ways: ways{binding: "replay", fault: "endpoints share"},
		want: "binding fail binding/first-result-returned"},
	{name: "keys in another case are two, where they are one", contract: traded(rulesOf("case: insensitive")),
		want: "key-rules fail key-rules/keys-split"},
	{name: "callers share, and the counter shows one of them", ways: ways{fault: "callers share", blind: true},
		want: "scope fail scope/other-callers-result scope/other-callers-conflict\n" +
			"replicas fail replicas/other-callers-result<-scope/other-callers-result replicas/other-caller-refused<-scope/other-callers-result"},
	{name: "callers share, by answers only", contract: byAnswers, ways: ways{fault: "callers share"},
		want: "scope fail scope/other-callers-result scope/other-callers-conflict\n" +
			"replicas fail replicas/other-callers-result<-scope/other-callers-result replicas/other-caller-refused<-scope/other-callers-result"},
	{name: "endpoints share, by answers only", contract: byAnswers, ways: ways{fault: "endpoints share"},
		want: "binding fail binding/first-result-returned"},
}

// rulesOf is the contract's key line with a rule replaced.
func rulesOf(rule string) string {
	const line = `key: {header: Idempotency-Key, generate: uuid4, rules: {min_length: 1, max_length: 100, pattern: "^[!-~]*$", case: sensitive, repeated: {status: [400]}, too_long: {status: [400]}}}`
	name, _, _ := strings.Cut(rule, ":")
	return regexp.MustCompile(name+`: [^,}]*`).ReplaceAllString(line, rule)
}

// byAnswers counts nothing.
var byAnswers = traded("effects: responses", "sibling: {method: POST, path: /v1/refunds}")

// shortTrade remembers its keys for 6 s, and is given so long to answer.
func shortTrade(timeout string) string {
	return strings.Replace(traded("retention: 6s"), "timeout: 2s", "timeout: "+timeout, 1)
}

// markedTrade promises a marker.
var markedTrade = traded(`marker: {header: Idempotent-Replayed, value: "true"}`)

// marketStyles are legal ways, and ways that cannot be known.
var marketStyles = []marketCase{
	{name: "an operation is slow", contract: slowTrade},
	{name: "an operation is slow, and one request at a time is handled", contract: slowTrade, ways: ways{apart: "all"}},
	{name: "an operation is slow, and one request of a caller at a time is handled", contract: slowTrade, ways: ways{apart: "callers"}},
	{name: "an operation is slow, and another key is bound", contract: changedOf(slowTrade, "binding: conflict"), ways: ways{binding: "conflict"}},
	{name: "the right one"},
	{name: "keyless run", contract: traded("missing_key: execute"), ways: ways{execute: true}},
	{name: "the counter shows one caller", ways: ways{blind: true}},
	{name: "the counter shows both endpoints", ways: ways{both: true}},
	{name: "the sibling is not counted, the counter shows both", contract: traded("sibling: {method: POST, path: /v1/refunds}"), ways: ways{both: true}},
	{name: "another endpoint conflicts", contract: traded("binding: conflict"), ways: ways{binding: "conflict"}},
	{name: "another endpoint replays", contract: traded("binding: replay"), ways: ways{binding: "replay"}},
	{name: "keys in another case are one", contract: traded(rulesOf("case: insensitive")), ways: ways{folds: true}},
	{name: "the present state", contract: traded("duplicate: current"), ways: ways{present: true}},
	{name: "finished results in an outage", ways: ways{cached: true}},
	{name: "answers with the second of their making", ways: ways{stamped: true}},
	{name: "answers that tell the key", ways: ways{echoes: true}},
	{name: "answers that are alike", ways: ways{alike: true}},
	{name: "answers that do not tell who gave them", ways: ways{noName: true}},
	{name: "waits for its store", ways: ways{fault: "waits for its store"}},
	{name: "waits for its store, half the retention", contract: shortTrade("3s"), ways: ways{fault: "waits for its store"}},
	{name: "waits for its store, beyond the retention", contract: shortTrade("10s"), ways: ways{fault: "waits for its store"}},
	{name: "hangs without its store", ways: ways{fault: "hangs without store"}},
	{name: "by answers only", contract: byAnswers},
	{name: "every id begins with the one before it", ways: ways{longer: true}},
	{name: "every id begins with the one before it, by answers only", contract: byAnswers, ways: ways{longer: true}},
	{name: "ids made of the order's", ways: ways{derived: true}},
	{name: "ids made of the order's, marked", ways: ways{derived: true, marked: true}, contract: markedTrade},
	{name: "replays are marked", contract: markedTrade, ways: ways{marked: true}},
	{name: "409 without its store", ways: ways{fault: "409 without store"}},
	{name: "endless keys are cut off", ways: ways{fault: "endless keys are cut off"}},
}

// marketUnknown are ways of which something cannot be known.
var marketUnknown = []marketCase{
	{name: "keys are one space", contract: traded("scope: []"), ways: ways{shared: true},
		want: "scope skipped\n" +
			"    promise.scope leaves the caller out: keys are one space for all callers"},
	{name: "one instance behind both base URLs", ways: ways{fault: "one instance"},
		want: "replicas inconclusive\n" +
			"    all answers come from one instance, by X-Served-By: replica-"},
	{name: "orders are unique", ways: ways{unique: true},
		want: "missing-key inconclusive\n" +
			"    the control's operations were not accepted: status 201, status 409: {\"error\":409}\n" +
			"binding inconclusive\n" +
			"    the control's operations were not accepted: status 201, status 409: {\"error\":409}\n" +
			"scope inconclusive\n" +
			"    the control's operations were not accepted: status 201, status 409: {\"error\":409}\n" +
			"key-rules inconclusive\n" +
			"    the control's operations were not accepted: status 201, status 409: {\"error\":409}\n" +
			"replicas inconclusive\n" +
			"    the control's operations were not accepted: status 201, status 409: {\"error\":409}\n" +
			"store-down inconclusive\n" +
			"    the control's operations were not accepted: status 201, status 409: {\"error\":409}"},
	{name: "answers are alike and one caller is counted", ways: ways{alike: true, blind: true},
		want: "scope inconclusive\n" +
			"    neither effects nor answers tell the first result from one of its own: status 201\n" +
			"replicas inconclusive\n" +
			"    neither effects nor answers tell the first result from one of its own: status 201"},
	{name: "answers are alike and nothing is counted", contract: byAnswers, ways: ways{alike: true},
		want: "binding inconclusive\n" +
			"    neither effects nor answers tell the first result from one of its own: status 201\n" +
			"scope inconclusive\n" +
			"    neither effects nor answers tell the first result from one of its own: status 201\n" +
			"key-rules inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike\n" +
			"    long keys that differ in their last character: neither effects nor answers tell two operations apart\n" +
			"    keys that differ only in case: neither effects nor answers tell two operations apart\n" +
			"    keys that differ after special characters: neither effects nor answers tell two operations apart\n" +
			"    keys that differ in a special character: neither effects nor answers tell two operations apart\n" +
			"    long keys that differ in their first character: neither effects nor answers tell two operations apart\n" +
			"    UUIDs that differ only in case: neither effects nor answers tell two operations apart\n" +
			"replicas inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike\n" +
			"    neither effects nor answers tell the first result from one of its own: status 201\n" +
			"store-down inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike"},
	{name: "ids are made of the order's and nothing is counted", contract: byAnswers, ways: ways{derived: true},
		want: "scope inconclusive\n" +
			"    neither effects nor answers tell the first result from one of its own: status 201\n" +
			"key-rules inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike\n" +
			"replicas inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike\n" +
			"    neither effects nor answers tell the first result from one of its own: status 201\n" +
			"store-down inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike"},
	{name: "the down hook fails", ways: ways{hook: "down"},
		want: "store-down inconclusive\n" +
			"    the down hook failed: exit 3"},
	{name: "the up hook fails", ways: ways{hook: "up"},
		want: "store-down inconclusive\n" +
			"    the up hook failed: exit 3"},
	{name: "refuses for good without its store", ways: ways{fault: "404 without store"},
		want: "store-down inconclusive\n" +
			"    a key finished before the outage: status 404 in the outage refuses for good an operation that is done"},
	{name: "the down hook takes nothing away", ways: ways{hook: "nothing"},
		want: "store-down inconclusive\n" +
			"    the down hook took nothing away that shows: a new key was answered with status 201"},
}

func TestMarketStyles(t *testing.T) {
	for i, c := range marketStyles {
		t.Run(c.name, func(t *testing.T) {
			r, events := play(t, c.scene())
			if got := toldOfMarket(r); got != "" || r.Exit != 0 {
				t.Errorf("exit %d:\n%s", r.Exit, got)
			}
			for n := 1 + i; n < len(events); n += 97 {
				cutShort(t, events, n)
			}
		})
	}
}

func TestMarketUnknown(t *testing.T) {
	for _, c := range marketUnknown {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, c.scene())
			if got := toldOfMarket(r); got != c.want || r.Exit == 1 {
				t.Errorf("exit %d, got:\n%s\nwant:\n%s", r.Exit, got, c.want)
			}
		})
	}
}

func TestMarketFaults(t *testing.T) {
	for _, c := range marketFaults {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, c.scene())
			if got := withoutReasons(toldOfMarket(r)); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s\nall of it:\n%s", got, c.want, toldOfMarket(r))
			}
			if r.Verdict != probe.Fail || r.Exit != 1 {
				t.Errorf("verdict %s, exit %d", r.Verdict, r.Exit)
			}
			for _, s := range r.Operations[0].Steps {
				for _, found := range s.Findings {
					tellsItsStory(t, s.Step, found)
				}
			}
		})
	}
}
