package probe_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
)

// Lines of contracts.
var (
	marked   = changed(`marker: {header: Idempotent-Replayed, value: "true"}`)
	refusing = "duplicate: {status: [409], link: /links/id}"
)

// faults are ways in which real implementations break, each with exactly what
// the steps must say; a step that is not named passes.
var faults = []struct {
	name      string
	contract  string
	behaviour behaviour
	want      string
}{
	{
		name:      "ignores keys",
		behaviour: behaviour{fault: "ignores keys"},
		want: "duplicate fail duplicate/effect-ran-twice duplicate/other-answer<-duplicate/effect-ran-twice\n" +
			"concurrent fail concurrent/effect-ran-twice concurrent/results-differ<-concurrent/effect-ran-twice concurrent/other-answer<-concurrent/effect-ran-twice\n" +
			"conflict fail conflict/changed-body-ran<-duplicate/effect-ran-twice conflict/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"reorder fail reorder/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"crash fail crash/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"expiry fail expiry/ran-more-than-once<-duplicate/effect-ran-twice expiry/forgot-early<-duplicate/effect-ran-twice expiry/other-answer<-expiry/forgot-early\n" +
			"disconnect fail disconnect/effect-ran-twice<-duplicate/effect-ran-twice disconnect/other-answer<-disconnect/effect-ran-twice",
	},
	{
		name:      "check then act",
		behaviour: behaviour{fault: "check then act"},
		want: "concurrent fail concurrent/effect-ran-twice concurrent/results-differ<-concurrent/effect-ran-twice\n" +
			"conflict fail conflict/changed-body-ran<-concurrent/effect-ran-twice\n" +
			"expiry fail expiry/ran-more-than-once<-concurrent/effect-ran-twice",
	},
	{
		name:      "looks before the body",
		behaviour: behaviour{fault: "looks before the body"},
		want: "concurrent fail concurrent/effect-ran-twice concurrent/results-differ<-concurrent/effect-ran-twice\n" +
			"conflict fail conflict/changed-body-ran<-concurrent/effect-ran-twice\n" +
			"expiry fail expiry/ran-more-than-once<-concurrent/effect-ran-twice",
	},
	{
		name:      "stuck after a race",
		behaviour: behaviour{fault: "stuck after a race", inFlight: 409},
		want:      "concurrent fail concurrent/stuck-after-race",
	},
	{
		name:      "loser gets 500",
		behaviour: behaviour{fault: "loser gets 500"},
		want:      "concurrent fail concurrent/loser-error",
	},
	{
		name:      "loser gets 503",
		behaviour: behaviour{fault: "loser gets 503"},
		want:      "concurrent fail concurrent/loser-error",
	},
	{
		name:      "loser is cut off",
		behaviour: behaviour{fault: "loser is cut off"},
		want:      "concurrent fail concurrent/loser-error",
	},
	{
		name:      "copies get 500",
		behaviour: behaviour{fault: "copies get 500"},
		want: "concurrent fail concurrent/loser-error\n" +
			"conflict fail conflict/wrong-answer<-concurrent/loser-error",
	},
	{
		name:      "results differ",
		behaviour: behaviour{fault: "results differ"},
		want:      "concurrent fail concurrent/results-differ",
	},
	{
		name:      "duplicate gets 500",
		behaviour: behaviour{fault: "duplicate gets 500"},
		want: "duplicate fail duplicate/refused\n" +
			"concurrent fail concurrent/loser-error<-duplicate/refused concurrent/other-answer<-duplicate/refused\n" +
			"conflict fail conflict/record-replaced<-duplicate/refused\n" +
			"reorder fail reorder/refused<-duplicate/refused\n" +
			"crash fail crash/result-lost<-duplicate/refused crash/refused<-duplicate/refused\n" +
			"expiry fail expiry/other-answer<-duplicate/refused\n" +
			"disconnect fail disconnect/refused<-duplicate/refused",
	},
	{
		name:      "duplicate stays in flight",
		behaviour: behaviour{fault: "duplicate stays in flight"},
		want: "duplicate fail duplicate/refused\n" +
			"concurrent fail concurrent/stuck-after-race<-duplicate/refused\n" +
			"conflict fail conflict/record-replaced<-duplicate/refused\n" +
			"reorder fail reorder/refused<-duplicate/refused\n" +
			"crash fail crash/stuck-in-progress<-duplicate/refused\n" +
			"expiry fail expiry/other-answer<-duplicate/refused\n" +
			"disconnect fail disconnect/stuck<-duplicate/refused",
	},
	{
		name:      "duplicate gets another answer",
		behaviour: behaviour{fault: "duplicate gets another answer"},
		want: "duplicate fail duplicate/other-answer\n" +
			"concurrent fail concurrent/results-differ<-duplicate/other-answer concurrent/other-answer<-duplicate/other-answer\n" +
			"conflict fail conflict/record-replaced<-duplicate/other-answer\n" +
			"reorder fail reorder/other-answer<-duplicate/other-answer\n" +
			"crash fail crash/result-changed<-duplicate/other-answer\n" +
			"expiry fail expiry/other-answer<-duplicate/other-answer\n" +
			"disconnect fail disconnect/other-answer<-duplicate/other-answer",
	},
	{
		name:     "marker while it ran twice",
		contract: marked, behaviour: behaviour{fault: "marker while it ran twice", marker: true},
		want: "duplicate fail duplicate/effect-ran-twice\n" +
			"concurrent fail concurrent/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"conflict fail conflict/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"reorder fail reorder/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"crash fail crash/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"expiry fail expiry/ran-more-than-once<-duplicate/effect-ran-twice expiry/forgot-early<-duplicate/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice<-duplicate/effect-ran-twice",
	},
	{
		name:     "marker missing",
		contract: marked, behaviour: behaviour{fault: "marker missing", marker: true},
		want: "duplicate fail duplicate/marker-missing",
	},
	{
		name:     "marker on first",
		contract: marked, behaviour: behaviour{fault: "marker on first", marker: true},
		want: "duplicate fail duplicate/marker-on-first",
	},
	{
		name:      "a late second effect",
		behaviour: behaviour{fault: "a late second effect"},
		want: "duplicate fail duplicate/effect-ran-twice\n" +
			"concurrent fail concurrent/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"conflict fail conflict/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"reorder fail reorder/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"crash fail crash/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"expiry fail expiry/ran-more-than-once<-duplicate/effect-ran-twice expiry/forgot-early<-duplicate/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice<-duplicate/effect-ran-twice",
	},
	{
		name:      "a second effect after the settle",
		behaviour: behaviour{fault: "a second effect after the settle"},
		want: "duplicate fail duplicate/effect-ran-twice\n" +
			"concurrent fail concurrent/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"conflict fail conflict/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"reorder fail reorder/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"crash fail crash/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"expiry fail expiry/ran-more-than-once<-duplicate/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice<-duplicate/effect-ran-twice",
	},
	{
		name:      "effect missing",
		behaviour: behaviour{fault: "effect missing"},
		want: "duplicate fail duplicate/effect-missing\n" +
			"concurrent fail concurrent/effect-missing",
	},
	{
		name:      "never looks at the body",
		behaviour: behaviour{fingerprint: "none"},
		want:      "conflict fail conflict/first-result-returned",
	},
	{
		name:      "record replaced by the conflict",
		behaviour: behaviour{fault: "record replaced by the conflict"},
		want: "conflict fail conflict/record-replaced\n" +
			"expiry fail expiry/other-answer<-conflict/record-replaced",
	},
	{
		name:      "record dropped by the conflict",
		behaviour: behaviour{fault: "record dropped by the conflict"},
		want: "conflict fail conflict/effect-ran-twice\n" +
			"expiry fail expiry/forgot-early<-conflict/effect-ran-twice expiry/other-answer<-expiry/forgot-early",
	},
	{
		name:      "changed body runs",
		behaviour: behaviour{fault: "changed body runs"},
		want:      "conflict fail conflict/changed-body-ran conflict/effect-ran-twice<-conflict/changed-body-ran",
	},
	{
		name:      "changed body runs and is refused",
		behaviour: behaviour{fault: "changed body runs and is refused"},
		want:      "conflict fail conflict/changed-body-ran",
	},
	{
		name:      "conflict gets 500",
		behaviour: behaviour{fault: "conflict gets 500"},
		want:      "conflict fail conflict/wrong-answer",
	},
	{
		name:     "refuses where replay is promised",
		contract: changed("conflict: replay"),
		want:     "conflict fail conflict/refused-not-promised",
	},
	{
		name:     "refuses where execution is promised",
		contract: changed("conflict: execute"),
		want:     "conflict fail conflict/refused-not-promised",
	},
	{
		name:      "fingerprints bytes",
		behaviour: behaviour{fingerprint: "bytes"},
		want:      "reorder fail reorder/refused",
	},
	{
		name:      "white space around the whole matters",
		behaviour: behaviour{fingerprint: "outer white space"},
		want:      "reorder fail reorder/refused",
	},
	{
		name:     "bytes are part of the key",
		contract: changed("conflict: execute"), behaviour: behaviour{fingerprint: "bytes", mismatch: "execute"},
		want: "reorder fail reorder/effect-ran-twice",
	},
	{
		name:     "fingerprints meaning",
		contract: changed("reorder: bytes"),
		want:     "reorder fail reorder/accepted-as-same",
	},
	{
		name:      "memory store",
		behaviour: behaviour{memory: true},
		want:      "crash fail crash/effect-ran-twice",
	},
	{
		name:      "key without result",
		behaviour: behaviour{fault: "key without result"},
		want:      "crash fail crash/stuck-in-progress",
	},
	{
		name:      "effect before record",
		behaviour: behaviour{fault: "effect before record"},
		want:      "crash fail crash/effect-ran-twice",
	},
	{
		name:      "effect a moment before its record",
		behaviour: behaviour{fault: "effect before record", window: 5 * time.Millisecond, after: 80 * time.Millisecond},
		want:      "crash fail crash/effect-ran-twice",
	},
	{
		name:      "receipt before effect",
		behaviour: behaviour{fault: "receipt before effect"},
		want:      "crash fail crash/receipt-without-effect",
	},
	{
		name:      "result lost in crash",
		behaviour: behaviour{fault: "result lost in crash"},
		want:      "crash fail crash/result-lost crash/refused",
	},
	{
		name:      "result made anew after crash",
		behaviour: behaviour{fault: "result made anew after crash"},
		want:      "conflict inconclusive\ncrash fail crash/result-changed",
	},
	{
		name:      "empty result after crash",
		behaviour: behaviour{fault: "empty result after crash"},
		want:      "crash fail crash/result-lost",
	},
	{
		name:      "other status after crash",
		behaviour: behaviour{fault: "other status after crash"},
		want:      "crash fail crash/result-lost",
	},
	{
		name:      "every retry after crash differs",
		behaviour: behaviour{fault: "every retry after crash differs"},
		want:      "crash fail crash/result-changed",
	},
	{
		name:      "second retry after crash runs",
		behaviour: behaviour{fault: "second retry after crash runs"},
		want:      "crash fail crash/effect-ran-twice",
	},
	{
		name:      "does not restart",
		behaviour: behaviour{hook: "start"},
		want:      "crash fail crash/did-not-restart",
	},
	{
		name:      "forgets early",
		behaviour: behaviour{retention: 2 * time.Second},
		want:      "expiry fail expiry/forgot-early expiry/other-answer<-expiry/forgot-early",
	},
	{
		name:      "never forgets",
		behaviour: behaviour{fault: "never forgets"},
		want:      "expiry fail expiry/never-forgets",
	},
	{
		name:      "sliding expiry",
		behaviour: behaviour{from: "last_use"},
		want:      "expiry fail expiry/extended-by-replay expiry/extended-by-conflict<-expiry/extended-by-replay",
	},
	{
		name:      "a conflict extends",
		behaviour: behaviour{fault: "a conflict extends"},
		want:      "expiry fail expiry/extended-by-conflict",
	},
	{
		name:      "a conflict shortens",
		behaviour: behaviour{fault: "a conflict shortens"},
		want:      "expiry fail expiry/forgot-early expiry/other-answer<-expiry/forgot-early",
	},
	{
		name:      "three runs after expiry",
		behaviour: behaviour{fault: "three runs after expiry"},
		want:      "expiry fail expiry/ran-more-than-once",
	},
	{
		name:     "refusal of duplicates promised, replayed",
		contract: changed(refusing), behaviour: behaviour{fault: "duplicate not refused", duplicate: "refused"},
		want: "duplicate fail duplicate/not-refused\n" +
			"concurrent fail concurrent/results-differ<-duplicate/not-refused concurrent/other-answer<-duplicate/not-refused\n" +
			"conflict fail conflict/record-replaced<-duplicate/not-refused\n" +
			"reorder fail reorder/other-answer<-duplicate/not-refused\n" +
			"crash fail crash/result-lost<-duplicate/not-refused\n" +
			"expiry fail expiry/other-answer<-duplicate/not-refused\n" +
			"disconnect fail disconnect/other-answer<-duplicate/not-refused",
	},
	{
		name:     "refusal without its link",
		contract: changed(refusing), behaviour: behaviour{fault: "link missing", duplicate: "refused"},
		want: "duplicate fail duplicate/not-refused\n" +
			"concurrent fail concurrent/stuck-after-race<-duplicate/not-refused\n" +
			"conflict fail conflict/record-replaced<-duplicate/not-refused\n" +
			"reorder fail reorder/refused<-duplicate/not-refused\n" +
			"crash fail crash/stuck-in-progress<-duplicate/not-refused\n" +
			"expiry fail expiry/other-answer<-duplicate/not-refused\n" +
			"disconnect fail disconnect/stuck<-duplicate/not-refused",
	},
	{
		name:      "retry is told to slow down for ever",
		behaviour: behaviour{fault: "duplicate gets 429"},
		want: "duplicate fail duplicate/refused\n" +
			"concurrent fail concurrent/loser-error<-duplicate/refused concurrent/other-answer<-duplicate/refused\n" +
			"conflict fail conflict/record-replaced<-duplicate/refused\n" +
			"reorder fail reorder/refused<-duplicate/refused\n" +
			"crash fail crash/refused<-duplicate/refused\n" +
			"expiry fail expiry/other-answer<-duplicate/refused\n" +
			"disconnect fail disconnect/refused<-duplicate/refused",
	},
	{
		name:     "present state of another resource",
		contract: changed("duplicate: current"), behaviour: behaviour{fault: "current of another", duplicate: "current"},
		want: "duplicate fail duplicate/other-answer\n" +
			"concurrent fail concurrent/results-differ<-duplicate/other-answer\n" +
			"conflict fail conflict/record-replaced<-duplicate/other-answer\n" +
			"reorder fail reorder/other-answer<-duplicate/other-answer\n" +
			"crash fail crash/result-changed<-duplicate/other-answer\n" +
			"expiry fail expiry/other-answer<-duplicate/other-answer",
	},
	{
		name:     "a declared header differs",
		contract: changed("same_headers: [Location]"), behaviour: behaviour{fault: "location counts requests"},
		want: "duplicate fail duplicate/other-answer\n" +
			"concurrent fail concurrent/results-differ<-duplicate/other-answer concurrent/other-answer<-duplicate/other-answer\n" +
			"conflict fail conflict/record-replaced<-duplicate/other-answer\n" +
			"reorder fail reorder/other-answer<-duplicate/other-answer\n" +
			"crash fail crash/result-changed<-duplicate/other-answer\n" +
			"expiry fail expiry/other-answer<-duplicate/other-answer\n" +
			"disconnect fail disconnect/other-answer<-duplicate/other-answer",
	},
	{
		name:      "refused after crash",
		behaviour: behaviour{fault: "refused after crash"},
		want:      "crash fail crash/refused",
	},
	{
		name:     "refused after its retention, run promised",
		contract: changed("after_retention: execute"), behaviour: behaviour{expired: 412},
		want: "expiry fail expiry/wrong-answer",
	},
	{
		name:     "runs after its retention, refusal promised",
		contract: changed("after_retention: {status: [412]}"),
		want:     "expiry fail expiry/wrong-answer",
	},
	{
		name:      "lease longer than promised",
		behaviour: behaviour{lease: 3 * time.Second},
		want:      "crash fail crash/stuck-in-progress",
	},
}

func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			r, _ := play(t, scene{contract: f.contract, behaviour: f.behaviour})
			if got := verdicts(r); got != f.want {
				t.Errorf("got:\n%s\nwant:\n%s", outcome(r), f.want)
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

var quoted = regexp.MustCompile("^contract.yaml:[0-9]+ `[^`]+`: .")

// tellsItsStory holds a finding to what every one has: an id of slug, operation
// and case, the contract's line quoted, expected, actual, evidence.
func tellsItsStory(t *testing.T, step string, f probe.Finding) {
	t.Helper()
	id := f.Slug + "#create-charge"
	if f.Case != "" {
		id += "#" + f.Case
	}
	if f.ID != id || !strings.HasPrefix(f.Slug, step+"/") || explain.Find(f.Slug) == nil {
		t.Errorf("%s: id %q, explained %t", f.Slug, f.ID, explain.Find(f.Slug) != nil)
	}
	if !quoted.MatchString(f.Requirement) || f.Line == 0 {
		t.Errorf("%s: requirement %q, line %d", f.Slug, f.Requirement, f.Line)
	}
	if f.Expected == "" || f.Actual == "" || len(f.Exchanges) == 0 {
		t.Errorf("%s: expected %q, actual %q, %d exchanges", f.Slug, f.Expected, f.Actual, len(f.Exchanges))
	}
	if slices.Contains(f.Also, f.Case) {
		t.Errorf("%s: %s twice", f.Slug, f.Case)
	}
}
