package probe_test

import (
	"testing"
	"time"
)

// TestExpiryAtReplicas: each replica goes by the retention that is promised,
// and the step sees the one that does not.
func TestExpiryAtReplicas(t *testing.T) {
	from := func(use string) string {
		return changedOf(twoReplicas, "retention: {at_least: 4s, at_most: 6s, from: "+use+"}")
	}
	for _, c := range []struct {
		name, contract string
		behaviour      behaviour
		want           string
	}{
		{"right", twoReplicas, behaviour{}, "pass"},
		{"right, from the last use", from("last_use"), behaviour{from: "last_use"}, "pass"},
		{"right, from completion", from("completion"), behaviour{from: "completion"}, "pass"},
		{"right, only the key matters", changedOf(twoReplicas, "conflict: replay"), behaviour{mismatch: "replay"}, "pass"},
		{"right, another body is another operation", changedOf(twoReplicas, "conflict: execute"), behaviour{mismatch: "execute"}, "pass"},
		{"right, forgetting is not promised", changedOf(twoReplicas, "retention: 4s"), behaviour{fault: "a replica never forgets"}, "pass"},
		{"one forgets early", twoReplicas, behaviour{fault: "a replica forgets early"}, "fail expiry/forgot-early expiry/other-answer"},
		{"one never forgets", twoReplicas, behaviour{fault: "a replica never forgets"}, "fail expiry/never-forgets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, scene{contract: c.contract, behaviour: c.behaviour, only: []string{"expiry"}})
			s := step(t, r, "expiry")
			if got := said(s); got != c.want {
				t.Errorf("got %s, want %s; %v", got, c.want, s.Reasons)
			}
			for _, f := range s.Findings {
				tellsItsStory(t, "expiry", f)
			}
		})
	}
}

// TestConflictMovesNoEnd: a conflict that comes early neither extends a key's
// retention nor shortens it, and where none is promised none is sent.
func TestConflictMovesNoEnd(t *testing.T) {
	lastUse := changed("retention: {at_least: 4s, at_most: 6s, from: last_use}")
	for _, c := range []struct {
		name, contract string
		behaviour      behaviour
		want           string
		notes          int
	}{
		{"right", charge, behaviour{}, "pass", 0},
		{"right, conflict and in flight alike", changed("conflict: {status: [409]}"), behaviour{conflict: 409, inFlight: 409}, "pass", 0},
		{"from the last use, and a conflict is one", lastUse, behaviour{from: "last_use", fault: "a conflict extends", retention: 4500 * time.Millisecond}, "pass", 0},
		{"from the last use, and a conflict shortens", lastUse, behaviour{from: "last_use", fault: "a conflict shortens"}, "fail expiry/forgot-early expiry/other-answer", 0},
		{"extends", charge, behaviour{fault: "a conflict extends"}, "fail expiry/extended-by-conflict", 0},
		{"shortens", charge, behaviour{fault: "a conflict shortens"}, "fail expiry/forgot-early expiry/other-answer", 0},
		{"never refused, and so not judged", charge, behaviour{fingerprint: "none"}, "pass", 1},
		{"replay promised", changed("conflict: replay"), behaviour{mismatch: "replay", fault: "a conflict extends"}, "pass", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, scene{contract: c.contract, behaviour: c.behaviour, only: []string{"expiry"}})
			s := step(t, r, "expiry")
			if got := said(s); got != c.want || len(s.Notes) != c.notes {
				t.Errorf("got %s, want %s; %v, %v", got, c.want, s.Reasons, s.Notes)
			}
		})
	}
}
