package probe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// slowly takes the step's requests in so late each, the first one's first; the
// last time holds for all that come after it.
func slowly(takes ...time.Duration) func(*charges, *conn) bool {
	came := 0
	return func(s *charges, c *conn) bool {
		if !strings.HasPrefix(c.request.ID, "duplicate/first") {
			return false
		}
		d := takes[min(came, len(takes)-1)]
		came++
		s.sleep(d)
		return false
	}
}

// TestRetriesAreJudgedByTheirOwnTime: on a machine so slow that a retry comes
// when its key may be forgotten, what came in time is evidence and what came
// late is none.
func TestRetriesAreJudgedByTheirOwnTime(t *testing.T) {
	const (
		inTime = 3900 * time.Millisecond // of a retention of 4 s on the target, 4.5 s of the server
		late   = 4200 * time.Millisecond
		longer = 700 * time.Millisecond
	)
	for _, c := range []struct {
		name  string
		takes []time.Duration
		fault string
		want  string
	}{
		{"right, and forgotten when the second retry comes", []time.Duration{0, inTime, longer}, "", "inconclusive"},
		{"right, and both come late", []time.Duration{0, late, longer}, "", "inconclusive"},
		{"right, and forgotten when the retry is looked at", []time.Duration{0, late + 500*time.Millisecond, 0}, "", "inconclusive"},
		{"right, and the first answer comes too late", []time.Duration{late, 0, 0}, "", "inconclusive"},
		{"in flight until it lapses", []time.Duration{0, inTime, longer}, "duplicate stays in flight", "inconclusive"},
		{"another answer to the first retry", []time.Duration{0, inTime, longer}, "duplicate gets another answer", "fail duplicate/other-answer"},
		{"the first retry runs", []time.Duration{0, inTime, longer}, "ignores keys",
			"fail duplicate/effect-ran-twice duplicate/other-answer<-duplicate/effect-ran-twice"},
		{"runs behind the replay", []time.Duration{0, inTime, longer}, "marker while it ran twice", "fail duplicate/effect-ran-twice"},
		{"no effect", []time.Duration{0, inTime, longer}, "effect missing", "fail duplicate/effect-missing"},
		{"no effect, and both come late", []time.Duration{0, late, longer}, "effect missing", "fail duplicate/effect-missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, scene{only: []string{"duplicate"}, behaviour: behaviour{fault: c.fault, busy: slowly(c.takes...)}})
			if got, _, _ := strings.Cut(outcome(r), "\n"); got != "duplicate "+c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			s := step(t, r, "duplicate")
			if len(s.Reasons) != 1 || !strings.HasSuffix(s.Reasons[0].Text, "longer than the key's retention of 4s: that shows nothing") {
				t.Errorf("reasons: %+v", s.Reasons)
			}
		})
	}
	r, _ := play(t, scene{only: []string{"duplicate"}, behaviour: behaviour{busy: slowly(0, 3*time.Second, 0)}})
	if s := step(t, r, "duplicate"); s.Verdict != probe.Pass {
		t.Errorf("slow, and in time:\n%s", outcome(r))
	}
}
