package probe_test

import (
	"slices"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// losing loses requests by their id, or their answers: each so many times.
func losing(how trace.Outcome, times map[string]int) func(*conn) trace.Outcome {
	return func(c *conn) trace.Outcome {
		if times[c.request.ID] == 0 {
			return ""
		}
		times[c.request.ID]--
		return how
	}
}

const ever = 1 << 20

// TestLostAnswersOfNewKeys: who gets no answer under one key alone accuses of it;
// where another key that was never used before got none either, or a request
// that was answered when it was sent again, it is not the key's doing.
func TestLostAnswersOfNewKeys(t *testing.T) {
	const long, short = "key-rules/the longest key/one", "key-rules/a key one character too short/one"
	for name, c := range map[string]struct {
		lost map[string]int
		want probe.Verdict
	}{
		"one key alone":                          {map[string]int{short: ever}, probe.Fail},
		"and the control's":                      {map[string]int{short: ever, "control/counter/one": 1}, probe.Inconclusive},
		"and a control's of another step":        {map[string]int{short: ever, "scope/another query/control": 1}, probe.Inconclusive},
		"and such a control's, always":           {map[string]int{short: ever, "scope/another query/control": ever}, probe.Inconclusive},
		"and another at a border, once":          {map[string]int{short: ever, long: 1}, probe.Inconclusive},
		"and another at a border, always":        {map[string]int{short: ever, long: ever}, probe.Fail},
		"and one that was sent when it was away": {map[string]int{short: ever, "store-down/during": 1}, probe.Fail},
	} {
		sc := marketCase{}.scene()
		sc.disturb = losing(trace.Reset, c.lost)
		r, _ := play(t, sc)
		if got := step(t, r, "key-rules"); got.Verdict != c.want {
			t.Errorf("%s: %s\n%s", name, got.Verdict, toldOfMarket(r))
		}
	}
}

// TestKeylessSentAgain: a request without a key that got no answer may have run,
// and runs once more when it is sent again.
func TestKeylessSentAgain(t *testing.T) {
	for id, lost := range map[string]int{"missing-key/one": 1, "missing-key/two": 1} {
		for fault, want := range map[string]string{"": "", "keyless run twice": "missing-key/effect-ran-twice"} {
			sc := marketCase{contract: traded("missing_key: execute"), ways: ways{execute: true, fault: fault}}.scene()
			sc.disturb = losing(trace.Cut, map[string]int{id: lost})
			r, _ := play(t, sc)
			got := step(t, r, "missing-key")
			if accused := slices.ContainsFunc(got.Findings, func(f probe.Finding) bool { return f.Slug == want }); accused != (want != "") || want == "" && len(got.Findings) > 0 {
				t.Errorf("%s, %q: %s %v", id, fault, got.Verdict, got.Findings)
			}
		}
	}
}
