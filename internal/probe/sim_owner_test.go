package probe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// outlasts has a request wait for a dead owner's lease to end, where others
// are refused meanwhile, and says whether it did.
func (k *call) outlasts(r *record) bool {
	if r == nil || r.done || r.epoch == k.charges.epoch || !k.is("waits for the dead") {
		return false
	}
	k.pause(time.Duration(r.claimed + int64(k.lease) - k.now))
	k.handle()
	return true
}

// haunted answers a key past its retention by what is left of it, and says
// whether it did.
func (k *call) haunted() bool {
	r := k.records[k.slot(k)]
	switch {
	case !k.lapsed || r == nil:
		return false
	case k.is("in flight after expiry"):
		k.send(k.inFlightStatus(), nil, false)
	case k.is("one copy is lost after expiry") && r.half == 0:
		r.half = 1
		k.c.reset(trace.Reset)
	case k.is("one copy is lost after expiry"):
		k.send(k.inFlightStatus(), nil, false)
	case k.is("runs behind the old result"):
		if r.half == 0 {
			k.effect(0)
		}
		r.half = 1
		k.send(r.status, r.charge, true)
	default:
		return false
	}
	return true
}

// TestWaitingForADeadOwner holds a service that waits where others refuse to
// the same lease: its late answer is no excuse, and one in time no fault.
func TestWaitingForADeadOwner(t *testing.T) {
	waits := changed("in_flight: {wait: true}")
	long := strings.Replace(waits, "crash: {", "crash: {recovery: 3s, ", 1)
	for _, c := range []struct {
		name, contract string
		behaviour      behaviour
		want           string
	}{
		{"as long as promised", waits, behaviour{}, "pass"},
		{"longer", waits, behaviour{lease: 3 * time.Second}, "fail crash/stuck-in-progress"},
		{"until the retention ends", waits, behaviour{lease: 4 * time.Second}, "fail crash/stuck-in-progress"},
		{"the recovery is longer than the lease", long, behaviour{lease: 3 * time.Second}, "pass"},
		{"an operation that takes long", waits, behaviour{before: 400 * time.Millisecond, after: 400 * time.Millisecond}, "pass"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.behaviour.fault = "waits for the dead"
			r, _ := play(t, scene{contract: c.contract, behaviour: c.behaviour, only: []string{"crash"}})
			if got := said(step(t, r, "crash")); got != c.want {
				t.Errorf("got %s, want %s:\n%s", got, c.want, outcome(r))
			}
		})
	}
}

// TestWhatIsLeftAfterExpiry holds the answers of a key that should be free.
func TestWhatIsLeftAfterExpiry(t *testing.T) {
	const execute = "after_retention: execute"
	wrong := "fail expiry/wrong-answer"
	for _, c := range []struct {
		name, contract, fault string
		want                  string
	}{
		{"in flight, a new operation promised", changed(execute), "in flight after expiry", wrong},
		{"in flight, another answer promised", changed("after_retention: {status: [412]}"), "in flight after expiry", wrong},
		{"in flight, as promised", changed("after_retention: {status: [409]}"), "in flight after expiry", "pass"},
		{"in flight, nothing promised", charge, "in flight after expiry", "inconclusive"},
		{"in flight, forgetting not promised", changed(execute, "retention: 4s"), "in flight after expiry", "inconclusive"},
		{"in flight, behind a copy that got no answer", changed(execute), "one copy is lost after expiry", "inconclusive"},
		{"old results of a run of its own", changed(execute, `marker: {header: Idempotent-Replayed, value: "true"}`), "runs behind the old result", wrong},
		{"the same without a marker promised", changed(execute), "runs behind the old result", "pass"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, scene{contract: c.contract, behaviour: behaviour{fault: c.fault, marker: true}, only: []string{"expiry"}})
			if got := said(step(t, r, "expiry")); got != c.want {
				t.Errorf("got %s, want %s:\n%s", got, c.want, outcome(r))
			}
		})
	}
}

// said is a step's verdict and the slugs of its findings.
func said(s probe.Result) string {
	words := []string{string(s.Verdict)}
	for _, f := range s.Findings {
		words = append(words, f.Slug)
	}
	return strings.Join(words, " ")
}
