package probe_test

import (
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// extended are the steps that these tests are of.
var extended = []string{"slow", "disconnect", "outcome", "fidelity"}

// told4 is outcome of those steps alone.
func told4(r *probe.Report) string {
	var out []string
	keep := false
	for _, line := range strings.SplitAfter(outcome(r), "\n") {
		if !strings.HasPrefix(line, " ") {
			keep = false
			for _, s := range extended {
				keep = keep || strings.HasPrefix(line, s+" ")
			}
		}
		if keep {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// withMarker is the contract with a replay marker.
var withMarker = with(`marker: {header: Idempotent-Replayed, value: "true"}`)

// instead replaces a part of a contract's text.
func instead(text, old, by string) string {
	if !strings.Contains(text, old) {
		panic("the contract has no " + old)
	}
	return strings.Replace(text, old, by, 1)
}

type extendedCase struct {
	name      string
	contract  string // empty: enabled
	behaviour behaviour
	want      string
}

// extendedFaults are broken servers, each with what the four steps say.
var extendedFaults = []extendedCase{
	{name: "ignores keys", behaviour: behaviour{fault: "ignores keys"},
		want: "slow fail slow/effect-ran-twice slow/other-answer<-slow/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice disconnect/other-answer<-disconnect/effect-ran-twice\n" +
			"outcome fail outcome/not-stored outcome/effect-ran-twice outcome/other-answer<-outcome/effect-ran-twice\n" +
			"fidelity fail fidelity/effect-ran-twice fidelity/other-answer<-fidelity/effect-ran-twice"},
	{name: "duplicate gets 500", behaviour: behaviour{fault: "duplicate gets 500"},
		want: "slow fail slow/refused\n" +
			"disconnect fail disconnect/refused\n" +
			"outcome fail outcome/not-stored outcome/refused\n" +
			"fidelity fail fidelity/refused"},

	{name: "live owners lose their claim", behaviour: behaviour{fault: "live owners lose their claim"},
		want: "slow fail slow/effect-ran-twice slow/other-answer<-slow/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice"},
	{name: "live owners lose their claim, 409", behaviour: behaviour{fault: "live owners lose their claim", inFlight: 409},
		want: "slow fail slow/effect-ran-twice slow/other-answer<-slow/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice"},
	{name: "live owners renew five times, 409", contract: instead(instead(with("retention: 9s"), "work_ms: 1800", "work_ms: 2500"), "wait: 4s", "wait: 9s"),
		behaviour: behaviour{fault: "live owners renew five times", inFlight: 409, retention: 10 * time.Second},
		want: "slow fail slow/effect-ran-twice slow/other-answer<-slow/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice"},
	{name: "a fenced owner answers what it would have", behaviour: behaviour{fault: "live owners lose their claim + a fenced owner answers what it would have", fenced: true, inFlight: 409},
		want: "slow fail slow/other-answer"},
	{name: "a fenced owner answers 500", behaviour: behaviour{fault: "live owners lose their claim + a fenced owner answers 500", fenced: true, inFlight: 409},
		want: "slow fail slow/refused"},
	{name: "waiters fail after the lease", behaviour: behaviour{fault: "waiters fail after the lease"},
		want: "slow fail slow/refused\n" +
			"disconnect fail disconnect/refused"},
	{name: "slow results are not recorded", behaviour: behaviour{fault: "slow results are not recorded", inFlight: 409},
		want: "slow fail slow/stuck\n" +
			"disconnect fail disconnect/stuck"},
	{name: "owner_max is not kept", contract: with("owner_max: 1s", "in_flight: {status: [409]}"), behaviour: behaviour{inFlight: 409},
		want: "slow fail slow/claim-outlived"},
	{name: "takes over after owner_max and does not fence", contract: with("owner_max: 1200ms"), behaviour: behaviour{inFlight: 409, ownerMax: 1200 * time.Millisecond},
		want: "slow fail slow/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice"},

	{name: "a hang-up cancels the record", behaviour: behaviour{fault: "a hang-up cancels the record"},
		want: "disconnect fail disconnect/effect-ran-twice"},
	{name: "a hang-up cancels the record, 409", behaviour: behaviour{fault: "a hang-up cancels the record", inFlight: 409},
		want: "disconnect fail disconnect/effect-ran-twice"},
	{name: "a hang-up leaves the key in flight", behaviour: behaviour{fault: "a hang-up leaves the key in flight", inFlight: 409},
		want: "disconnect fail disconnect/stuck"},
	{name: "a hang-up frees the key", behaviour: behaviour{fault: "a hang-up frees the key", inFlight: 409},
		want: "disconnect fail disconnect/effect-ran-twice"},
	{name: "a hang-up empties the record", behaviour: behaviour{fault: "a hang-up empties the record"},
		want: "disconnect fail disconnect/result-lost"},
	{name: "a hang-up is recorded as 499", behaviour: behaviour{fault: "a hang-up is recorded as 499"},
		want: "disconnect fail disconnect/result-lost"},

	{name: "a failure keeps its key", behaviour: behaviour{fault: "a failure keeps its key", inFlight: 409},
		want: "outcome fail outcome/stuck"},
	{name: "a refusal keeps its key", behaviour: behaviour{fault: "a refusal keeps its key", inFlight: 409},
		want: "outcome fail outcome/stuck"},
	{name: "failures are stored", behaviour: behaviour{stores5xx: true},
		want: "outcome fail outcome/not-released"},
	{name: "failures of 503 are stored", behaviour: behaviour{stores5xx: true, failsWith: 503},
		want: "outcome fail outcome/not-released"},
	{name: "refusals are not stored, told by times", behaviour: behaviour{frees4xx: true, fault: "failures name their time"},
		want: "outcome fail outcome/not-stored"},
	{name: "refusals are not stored, told by the marker", contract: withMarker, behaviour: behaviour{frees4xx: true, marker: true},
		want: "outcome fail outcome/not-stored"},
	{name: "refusals are not stored, told by the key", behaviour: behaviour{frees4xx: true},
		want: "outcome fail outcome/not-stored"},
	{name: "refusals are stored for good", contract: with(`stored: {"4xx": release, "5xx": release}`),
		want: "outcome fail outcome/not-released"},
	{name: "refusals are stored for good, told by the marker", contract: with(`stored: {"4xx": release, "5xx": release}`, `marker: {header: Idempotent-Replayed, value: "true"}`), behaviour: behaviour{marker: true},
		want: "outcome fail outcome/not-released"},
	{name: "fails after its effect", behaviour: behaviour{fault: "fails after its effect"},
		want: "outcome fail outcome/effect-ran-twice"},
	{name: "stored failures are unmarked", contract: withMarker, behaviour: behaviour{marker: true, fault: "stored failures are unmarked"},
		want: "outcome fail outcome/not-stored"},
	{name: "a stored failure is replayed as 200", behaviour: behaviour{fault: "a stored failure is replayed as 200"},
		want: "outcome fail outcome/effect-missing outcome/not-stored<-outcome/effect-missing"},
	{name: "a refusal that frees its key is retried with success, the present state promised", contract: with("duplicate: current", `stored: {"4xx": release, "5xx": release}`),
		behaviour: behaviour{duplicate: "current", fault: "a stored failure is replayed as 200"}, want: "outcome fail outcome/effect-missing outcome/not-released"},
	{name: "a stored failure is replayed as 200, the present state promised", contract: with("duplicate: current"),
		behaviour: behaviour{duplicate: "current", fault: "a stored failure is replayed as 200"}, want: "outcome fail outcome/not-stored"},
	{name: "corrected requests are not recorded", contract: with(`stored: {"4xx": release, "5xx": release}`), behaviour: behaviour{frees4xx: true, fault: "corrected requests are not recorded"},
		want: "outcome fail outcome/effect-ran-twice outcome/other-answer<-outcome/effect-ran-twice"},
	{name: "corrected requests are not recorded, anything promised", contract: with(`stored: {"4xx": any, "5xx": release}`), behaviour: behaviour{frees4xx: true, fault: "corrected requests are not recorded"},
		want: "outcome fail outcome/effect-ran-twice outcome/other-answer<-outcome/effect-ran-twice"},
	{name: "stored refusals hide conflicts, told by the marker", contract: withMarker, behaviour: behaviour{marker: true, fault: "stored refusals hide conflicts"},
		want: "outcome fail outcome/conflict-not-seen"},
	{name: "stored refusals hide conflicts, anything promised", contract: with(`stored: {"4xx": any, "5xx": release}`, `marker: {header: Idempotent-Replayed, value: "true"}`), behaviour: behaviour{marker: true, fault: "stored refusals hide conflicts"},
		want: "outcome fail outcome/conflict-not-seen"},
	{name: "stored refusals hide conflicts, told by answers", behaviour: behaviour{fault: "failures name their time + stored refusals hide conflicts"},
		want: "outcome fail outcome/conflict-not-seen"},
	{name: "attempts run again", behaviour: behaviour{frees4xx: true, attempts: true},
		want: "outcome fail outcome/not-stored"},
	{name: "failures promised to be stored are not", contract: with(`stored: {"4xx": replay, "5xx": replay}`),
		want: "outcome fail outcome/not-stored"},
	{name: "another answer promised", contract: with(`stored: {"402": {status: [409]}, "5xx": release}`),
		want: "outcome fail outcome/wrong-answer"},

	{name: "large answers are not stored", behaviour: behaviour{fault: "large answers are not stored"},
		want: "fidelity fail fidelity/effect-ran-twice fidelity/other-answer<-fidelity/effect-ran-twice"},
	{name: "redirects are not stored", behaviour: behaviour{fault: "redirects are not stored"},
		want: "fidelity fail fidelity/effect-ran-twice fidelity/other-answer<-fidelity/effect-ran-twice"},
	{name: "redirects lead elsewhere", behaviour: behaviour{fault: "redirects lead elsewhere"},
		want: "fidelity fail fidelity/other-answer"},
	{name: "redirects lead elsewhere, no headers compared", contract: instead(enabled, "      same_headers: [Content-Type]\n", ""), behaviour: behaviour{fault: "redirects lead elsewhere"},
		want: "fidelity fail fidelity/other-answer"},
	{name: "redirects are signed anew, compared", contract: with("same_headers: [location]"), behaviour: behaviour{fault: "redirects are signed anew"},
		want: "slow fail slow/other-answer\ndisconnect fail disconnect/other-answer\n" +
			"outcome fail outcome/other-answer\nfidelity fail fidelity/other-answer"},
	{name: "empty answers are not stored", behaviour: behaviour{fault: "empty answers are not stored"},
		want: "fidelity fail fidelity/effect-ran-twice"},
	{name: "large replays are cut", behaviour: behaviour{fault: "large replays are cut"},
		want: "fidelity fail fidelity/other-answer"},
	{name: "redirects are replayed as 200", behaviour: behaviour{fault: "redirects are replayed as 200"},
		want: "fidelity fail fidelity/other-answer"},
	{name: "replayed redirects lead nowhere", behaviour: behaviour{fault: "replayed redirects lead nowhere"},
		want: "fidelity fail fidelity/other-answer"},
}

// extendedStyles are right servers: each step passes, or says why it cannot.
var extendedStyles = []extendedCase{
	{name: "waits"},
	{name: "redirects are absolute at times", behaviour: behaviour{fault: "redirects are absolute at times"}},
	{name: "redirects are signed anew, other headers compared", contract: with("same_headers: []"), behaviour: behaviour{fault: "redirects are signed anew"}},
	{name: "redirects are signed anew", contract: instead(enabled, "      same_headers: [Content-Type]\n", ""), behaviour: behaviour{fault: "redirects are signed anew"},
		want: "fidelity inconclusive\n    a redirect came again to the same place with another query, and promise.same_headers does not say whether it may\n"},
	{name: "409 in flight", behaviour: behaviour{inFlight: 409}},
	{name: "425 in flight", contract: with("in_flight: {status: [425]}"), behaviour: behaviour{inFlight: 425}},
	{name: "429 in flight", contract: with("in_flight: {status: [429]}"), behaviour: behaviour{inFlight: 429}},
	{name: "conflict 409 as in flight", contract: with("conflict: {status: [409]}"), behaviour: behaviour{conflict: 409, inFlight: 409}},
	{name: "marker", contract: withMarker, behaviour: behaviour{marker: true}},
	{name: "present state", contract: with("duplicate: current"), behaviour: behaviour{duplicate: "current", inFlight: 409}},
	{name: "the present state of a refused operation", contract: with("duplicate: current", `stored: {"4xx": any, "5xx": release}`),
		behaviour: behaviour{duplicate: "current", fault: "a stored failure is replayed as 200"},
		want: "outcome inconclusive\n" +
			"    4xx: status 402, and to the retry status 200 with no effect: whether that tells of a refused operation or of one that is done cannot be told\n"},
	{name: "duplicates are 409 with a link", contract: with(refusing), behaviour: behaviour{duplicate: "refused", inFlight: 409}},
	{name: "duplicates are 409 as in flight", contract: with("duplicate: {status: [409]}"), behaviour: behaviour{duplicate: "refused", inFlight: 409}},
	{name: "two effects an operation", behaviour: behaviour{unit: 2}},
	{name: "effects that come late", behaviour: behaviour{appears: 300 * time.Millisecond}},
	{name: "volatile field, declared", contract: with("ignore: [/served_at]"), behaviour: behaviour{volatile: true}},
	{name: "only the key matters, declared, with a marker", contract: with("conflict: replay", `marker: {header: Idempotent-Replayed, value: "true"}`), behaviour: behaviour{marker: true, fingerprint: "none"}},
	{name: "refusals free their key, declared", contract: with(`stored: {"4xx": release, "5xx": release}`), behaviour: behaviour{frees4xx: true, inFlight: 409}},
	{name: "refusals may do either and free their key", contract: with(`stored: {"4xx": any, "5xx": release}`), behaviour: behaviour{frees4xx: true}},
	{name: "refusals may do either and are stored", contract: with(`stored: {"4xx": any, "5xx": release}`, `marker: {header: Idempotent-Replayed, value: "true"}`), behaviour: behaviour{marker: true}},
	{name: "stored refusals hide conflicts, and nothing tells them", behaviour: behaviour{fault: "stored refusals hide conflicts"},
		want: "outcome inconclusive\n" +
			"    4xx: whether the failure is stored or was met again cannot be told: its answers are alike, and nothing else shows it\n"},
	{name: "only the key matters, declared", contract: with("conflict: replay"), behaviour: behaviour{fingerprint: "none"}},
	{name: "another body is another operation, declared", contract: with("conflict: execute"), behaviour: behaviour{mismatch: "execute"},
		want: "outcome inconclusive\n" +
			"    4xx: whether the failure is stored or was met again cannot be told: its answers are alike, and nothing else shows it\n"},
	{name: "no counter", contract: with("effects: responses", "-crash")},
	{name: "no counter, answers alike", contract: with("effects: responses", "-crash"), behaviour: behaviour{alike: true},
		want: "slow inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike\n" +
			"disconnect inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike\n" +
			"outcome inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike\n" +
			"fidelity inconclusive\n" +
			"    no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike\n"},

	{name: "taken over after owner_max, fenced", contract: with("owner_max: 1200ms"), behaviour: behaviour{inFlight: 409, ownerMax: 1200 * time.Millisecond, fenced: true}},
	{name: "taken over after owner_max, the fenced owner waits", contract: with("owner_max: 1200ms"), behaviour: behaviour{inFlight: 409, ownerMax: 1200 * time.Millisecond, fenced: true, fault: "a fenced owner waits"}},
	{name: "taken over after owner_max, fenced, waits", contract: with("owner_max: 1200ms"), behaviour: behaviour{ownerMax: 1200 * time.Millisecond, fenced: true},
		want: "slow inconclusive\n" +
			"    slow: requests went on for 9.053s, longer than the key's retention of 4s: that shows nothing\n"},
	{name: "taken over after owner_max, the old owner fails", contract: with("owner_max: 1200ms"),
		behaviour: behaviour{inFlight: 409, ownerMax: 1200 * time.Millisecond, fenced: true, fault: "a fenced owner answers 500"}},
	{name: "quick slow request", contract: instead(enabled, "work_ms: 1800", "work_ms: 200"),
		want: "slow inconclusive\n" +
			"    slow: the slow request was answered after 243ms, within promise.lease of 1s: no owner was seen that works longer\n"},
	{name: "slow request beyond the timeout", contract: instead(instead(enabled, "work_ms: 1800", "work_ms: 3000"), "timeout: 10s", "timeout: 2s"),
		want: "slow inconclusive\n" +
			"    slow: the slow request was not answered within target.timeout of 2s\n"},
	{name: "lease not stated", contract: instead(with("-lease"), "crash: {process: {command: [./api], ready: /healthz}}", "crash: {process: {command: [./api], ready: /healthz}, recovery: 1s}"),
		want: "slow inconclusive\n" +
			"    contract.yaml:16: promise.lease is not stated: how long the slow request must work to outlast a lock is unknown\n"},
	{name: "slow request longer than the retention", contract: instead(enabled, "work_ms: 1800", "work_ms: 4800"),
		want: "slow inconclusive\n" +
			"    slow: requests went on for 4.843s, longer than the key's retention of 4s: that shows nothing\n" +
			"disconnect inconclusive\n" +
			"    hung up in slow work: requests went on for 9.646s, longer than the key's retention of 4s: that shows nothing\n"},

	{name: "a hang-up cancels", behaviour: behaviour{fault: "a hang-up cancels"}},
	{name: "a hang-up cancels, 409", behaviour: behaviour{fault: "a hang-up cancels", inFlight: 409}},
	{name: "a hang-up cancels and leaves the claim to its lease", behaviour: behaviour{fault: "a hang-up cancels and leaves the claim to its lease", inFlight: 409}},
	{name: "a hang-up cancels and leaves the claim to its lease, waits", behaviour: behaviour{fault: "a hang-up cancels and leaves the claim to its lease"}},
	{name: "a hang-up is stored as a failure, declared", contract: with(`stored: {"4xx": replay, "5xx": replay}`), behaviour: behaviour{stores5xx: true, fault: "a hang-up is stored as a failure"},
		want: "disconnect inconclusive\n" +
			"    hung up at the last byte: it failed and its failure is stored, as declared (status 500): no result is there to be judged\n" +
			"    hung up at the last byte, retried later: it failed and its failure is stored, as declared (status 500): no result is there to be judged\n" +
			"    hung up in slow work: it failed and its failure is stored, as declared (status 500): no result is there to be judged\n"},
	{name: "answers at once", behaviour: behaviour{before: time.Microsecond, after: time.Microsecond}},

	{name: "stores 5xx, declared", contract: with(`stored: {"4xx": replay, "5xx": replay}`), behaviour: behaviour{stores5xx: true}},
	{name: "stores 503, declared", contract: with(`stored: {"4xx": replay, "503": replay, "5xx": release}`), behaviour: behaviour{stores5xx: true, failsWith: 503}},
	{name: "fails with 503", behaviour: behaviour{failsWith: 503}},
	{name: "stores nothing but successes, declared", contract: with(`stored: {"2xx": replay, "4xx": release, "5xx": release}`), behaviour: behaviour{frees4xx: true}},
	{name: "frees refusals, times in them", contract: with(`stored: {"4xx": release, "5xx": release}`), behaviour: behaviour{frees4xx: true, fault: "failures name their time"}},
	{name: "frees refusals, attempts are counted", contract: with(`stored: {"4xx": release, "5xx": release}`), behaviour: behaviour{frees4xx: true, attempts: true}},
	{name: "stores refusals, attempts are counted", behaviour: behaviour{attempts: true}},
	{name: "stores refusals, attempts are counted late", behaviour: behaviour{attempts: true, appears: 300 * time.Millisecond}},
	{name: "exact beats class", contract: with(`stored: {"402": release, "4xx": replay, "5xx": release}`), behaviour: behaviour{frees4xx: true}},
	{name: "any", contract: with(`stored: {"4xx": any, "5xx": any}`)},
	{name: "any, stored", contract: with(`stored: {"4xx": any, "5xx": any}`), behaviour: behaviour{stores5xx: true}},
	{name: "stored not stated", contract: with(`stored: {"2xx": replay}`),
		want: "outcome inconclusive\n" +
			"    4xx: promise.stored does not say what becomes of status 402\n" +
			"    5xx: promise.stored does not say what becomes of status 500\n"},
	{name: "a failure keeps its key for the lease", behaviour: behaviour{fault: "a failure keeps its key for the lease", inFlight: 409}},
	{name: "panics", behaviour: behaviour{fault: "panics"}},
	{name: "fails every time", contract: instead(enabled, "X-Test-Fail: once", "X-Test-Fail: always"),
		want: "outcome inconclusive\n" +
			"    5xx: the retry failed again (status 500), though the key is free: the request without what makes it fail ran\n"},
	{name: "does not fail", contract: instead(instead(enabled, "method: declined", "method: ok"), "X-Test-Fail: once", "X-Other: once"),
		want: "outcome inconclusive\n" +
			"    4xx: the request that should fail got status 201\n" +
			"    5xx: the request that should fail got status 201\n"},
	{name: "stored refusals that nothing shows", contract: with("conflict: execute"), behaviour: behaviour{mismatch: "execute"},
		want: "outcome inconclusive\n" +
			"    4xx: whether the failure is stored or was met again cannot be told: its answers are alike, and nothing else shows it\n"},

	{name: "a large answer that is small", contract: instead(enabled, "answer: large", "answer: small"),
		want: "fidelity inconclusive\n" +
			"    large: its answer has only 100 bytes\n"},
	{name: "a redirect that is none", contract: instead(enabled, "answer: redirect", "answer: other"),
		want: "fidelity inconclusive\n" +
			"    redirect: its answer is no redirect: status 201\n"},
	{name: "an empty answer with a body", contract: instead(enabled, "answer: empty", "answer: other"),
		want: "fidelity inconclusive\n" +
			"    empty: its answer has a body of 100 bytes\n"},
	{name: "compared as bytes", contract: with("compare: bytes")},
}
