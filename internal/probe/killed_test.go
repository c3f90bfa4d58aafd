package probe

import (
	"testing"

	"github.com/idem-toolkit/idem/internal/trace"
)

// TestAKillIsToldByAProxy: what a proxy says of a killed service is no answer
// of the service's, so that the kill is seen to have met the operation.
func TestAKillIsToldByAProxy(t *testing.T) {
	const killAt = 1000
	for _, c := range []struct {
		name     string
		status   int
		first    int64
		answered bool
	}{
		{"answered before the kill", 201, 900, true},
		{"answered while it was killed", 201, 1100, true},
		{"a proxy's 502 after the kill", 502, 1100, false},
		{"a proxy's 503 after the kill", 503, 1100, false},
		{"a proxy's 504 after the kill", 504, 1100, false},
		{"a failure of the service's own", 500, 1100, true},
		{"a limit's 429", 429, 1100, true},
		{"a 502 that no kill brought about", 502, 900, true},
	} {
		h := NewHistory("crash")
		for _, e := range []trace.Event{
			{Kind: trace.KindRequest, Request: &trace.Request{ID: "r"}},
			{Kind: trace.KindCount, Label: "before-0", Count: &trace.Count{}},
			{Kind: trace.KindSent, Label: "volley", Sent: &trace.Sent{Request: "r", WriteBegan: 800, WriteEnded: 801, Whole: true}},
			{Kind: trace.KindKill, Label: "kill", At: killAt, Process: &trace.Process{}},
			{Kind: trace.KindAnswer, Label: "volley", Answer: &trace.Answer{Request: "r", Outcome: trace.Answered,
				Status: c.status, FirstByte: c.first, LastByte: c.first + 1, Ended: c.first + 1}},
			{Kind: trace.KindCount, Label: "survived-0", Count: &trace.Count{N: 1}},
			{Kind: trace.KindCount, Label: "settled-0", Count: &trace.Count{N: 1}},
		} {
			e.Trial = "kill-1"
			h.Observe(e)
		}
		ops, kill := volleyOf(h.Trial("kill-1"))
		if len(ops) != 1 || kill == nil {
			t.Fatalf("%s: %d operations, kill %v", c.name, len(ops), kill)
		}
		if ops[0].answered != c.answered || ops[0].landed() == c.answered {
			t.Errorf("%s: answered %t, landed %t", c.name, ops[0].answered, ops[0].landed())
		}
	}
}
