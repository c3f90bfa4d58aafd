package zoo

import (
	"slices"
	"strings"
	"testing"
)

// reported are faults that users of real implementations met, numbered, some of
// them of several kinds, with what the zoo has of each.
var reported = []struct {
	number int
	what   string
	steps  string // that must fail
	faults string // each of them shows it
}{
	{1, "two copies arrive before either has finished, and both run", "concurrent", "check-then-act check-before-body"},
	{1, "a duplicate is recognised, and answered with an error of the service", "duplicate", "duplicate-gets-500"},
	{2, "who loses the race for the insert is answered with the database's error", "concurrent", "loser-gets-500 loser-gets-503"},
	{3, "the race has one winner, and leaves the key in flight for good", "concurrent", "stuck-after-race"},
	{4, "the replay and its marker hide that the handler has run again", "duplicate", "runs-behind-replay"},
	{4, "the same, for answers without a body only", "fidelity", "empty-replay-runs-again"},
	{5, "nobody compares the body with the first one's", "conflict", "ignores-body"},
	{6, "a conflict is refused, and overwrites what it conflicts with", "conflict", "conflict-replaces-record"},
	{7, "a failing handler never gives its key back", "outcome", "failure-leaves-claim panic-leaves-claim"},
	{8, "a refusal is kept where it was promised to be let go", "outcome", "refusal-kept-for-good"},
	{8, "a refusal is let go where it was promised to be kept", "outcome", "refusal-not-stored"},
	{9, "whoever dies at work takes the key along until it expires", "crash", "no-lease lease-too-long"},
	{10, "death comes after the effect and before its record", "crash", "effect-before-record record-written-behind"},
	{11, "work that outlasts the lock is taken over while it goes on", "slow", "claim-not-renewed"},
	{12, "the caller's leaving ends the bookkeeping, not the payment", "disconnect", "hang-up-loses-record"},
	{13, "all who send no key share one result", "missing-key", "keyless-share-a-key"},
	{14, "one endpoint answers with another one's result", "binding", "path-left-out"},
	{15, "one customer is shown another one's result", "scope", "caller-left-out"},
	{16, "what is too large to be stored is not protected", "fidelity", "large-answers-not-stored"},
	{17, "a long key of random characters breaks the index that a repetitive one fits", "key-rules", "endless-keys-get-500 long-keys-get-500"},
	{18, "the column's collation takes two keys for one", "key-rules", "caseless-collation"},
	{19, "each use makes the record live longer", "expiry", "replay-extends"},
	{19, "no record is ever dropped", "expiry", "never-forgets"},
	{20, "copies of an expired key all run", "expiry", "runs-thrice-after-expiry"},
	{21, "every process remembers for itself", "replicas", "keys-per-process"},
	{22, "one endpoint takes the header and does nothing with it", "duplicate", "ignores-key-on-charges"},
}

// legal are ways to keep a promise that a hasty verifier takes for faults.
var legal = []struct {
	number int
	what   string
	styles string
}{
	{23, "a duplicate is sent to the resource, or shown its present state", "duplicate-409-link current-state"},
	{24, "a copy in flight waits, or is told to come back", "waits-then-409 in-flight-409 in-flight-425 in-flight-429"},
	{24, "another body in flight is told of the flight, or of the conflict", "busy-before-conflict in-flight-409 same-409"},
	{25, "failures are kept, or only successes are", "stores-5xx stores-success-only"},
	{26, "bytes count", "byte-fingerprint"},
	{27, "what changes by nature changes in a replay", "volatile-fields"},
}

// TestReportedFaultsAreInTheZoo: each has a fault that the step must catch by
// which its users would have been warned.
func TestReportedFaultsAreInTheZoo(t *testing.T) {
	covered := map[int]bool{}
	for _, c := range reported {
		covered[c.number] = true
		for name := range strings.FieldsSeq(c.faults) {
			v, ok := Fault(name)
			if !ok {
				t.Errorf("%d, %s: there is no fault %s", c.number, c.what, name)
				continue
			}
			for step := range strings.FieldsSeq(c.steps) {
				if !slices.Contains(v.Caught, step) {
					t.Errorf("%d, %s: %s is to be caught by %v, not by %s", c.number, c.what, name, v.Caught, step)
				}
			}
		}
	}
	for _, c := range legal {
		covered[c.number] = true
		for name := range strings.FieldsSeq(c.styles) {
			if v, ok := Style(name); !ok || len(v.Unknowable) > 0 {
				t.Errorf("%d, %s: there is no style %s of which all can be known", c.number, c.what, name)
			}
		}
	}
	for n := 1; n <= 27; n++ {
		if !covered[n] {
			t.Errorf("nothing stands for %d", n)
		}
	}
}

// TestBothAnswersToAnotherBodyInFlight shows that the styles differ there: one
// tells of the flight, one of the conflict.
func TestBothAnswersToAnotherBodyInFlight(t *testing.T) {
	for name, status := range map[string]int{"busy-before-conflict": 409, "in-flight-409": 422} {
		t.Run(name, func(t *testing.T) {
			v, _ := Style(name)
			r := newRig(t, v)
			first, release := r.atWork(r.charge)
			defer release()
			r.want(r.receive("the other body is answered", inBackground(func() reply { return r.with(order("o2")) })), status)
			release()
			answered := r.want(r.receive("the first is answered", first), 201)
			r.replayed(r.charge(), answered)
			r.want(r.with(order("o2")), 422)
			r.wantEffects("o2", 0)
		})
	}
}
