package probe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// ends lets copies that which gives true of end in a certain way when they are whole.
func ends(which func(c *conn, on leg) bool, as trace.Answer) func(*conn, leg) bool {
	return func(c *conn, on leg) bool {
		if which(c, on) {
			a := as
			a.LastByte = c.wholeAt + int64(time.Millisecond)
			if a.Outcome == trace.Answered {
				a.FirstByte = a.LastByte
			}
			c.end(a)
		}
		return false
	}
}

// apartInRace says that a copy is one of several on connections of their own.
func apartInRace(_ *conn, on leg) bool { return on.released > 0 && on.stream == 0 }

// TestRefusedOnTheirWay: where the server refuses all that comes on connections
// of their own, as one may that offers a version of HTTP and answers nothing over
// it, copies that went there are not accused: other keys are refused as well.
// Where those are not, the race is the reason.
func TestRefusedOnTheirWay(t *testing.T) {
	for _, status := range []int{400, 403, 421, 426, 505} {
		refusal := trace.Answer{Outcome: trace.Answered, Status: status}
		_, s := raced(t, scene{http2: true, refuses: ends(apartInRace, refusal)})
		if s.Verdict != probe.Inconclusive || len(s.Findings) > 0 {
			t.Errorf("%d, all that comes apart: %s %v", status, s.Verdict, s.Findings)
		}
		if !slices.ContainsFunc(s.Reasons, func(r probe.Reason) bool {
			return strings.Contains(r.Text, "and so did other keys") && r.Settle != ""
		}) {
			t.Errorf("%d: %v", status, s.Reasons)
		}
		for _, r := range s.Evidence.Releases {
			if counts := !r.Apart; counts != (r.Overlapped == r.Made) || counts == (r.Overlapped == 0) {
				t.Errorf("%d: %+v", status, r)
			}
		}
		oneKey := func(c *conn, on leg) bool {
			return apartInRace(c, on) && !strings.Contains(c.request.ID, "/environment/")
		}
		_, s = raced(t, scene{http2: true, refuses: ends(oneKey, refusal)})
		if s.Verdict != probe.Fail || s.Findings[0].Slug != "concurrent/loser-error" {
			t.Errorf("%d, copies of one key alone: %s %v", status, s.Verdict, s.Reasons)
		}
	}
	// One copy of each pair won: that the other is refused is the race's doing.
	loser := func(c *conn, on leg) bool { return apartInRace(c, on) && c.number%2 == 0 }
	_, s := raced(t, scene{http2: true, refuses: ends(loser, trace.Answer{Outcome: trace.Answered, Status: 400})})
	if s.Verdict != probe.Fail {
		t.Errorf("losers alone: %s %v", s.Verdict, s.Reasons)
	}
}

// TestBurstsRefusedOnTheirWay is the same of several keys in one burst.
func TestBurstsRefusedOnTheirWay(t *testing.T) {
	refusal := trace.Answer{Outcome: trace.Answered, Status: 400}
	of := func(word string) func(*conn, leg) bool {
		return func(c *conn, on leg) bool { return on.released > 0 && strings.Contains(c.request.ID, word) }
	}
	races := probe.Env{Races: trace.Races{Rounds: 1, Keys: 3}}
	_, s := raced(t, scene{http2: true, env: races, refuses: ends(of("keys x"), refusal)})
	if s.Verdict != probe.Inconclusive || len(s.Findings) > 0 {
		t.Errorf("all keys: %s %v", s.Verdict, s.Findings)
	}
	_, s = raced(t, scene{http2: true, env: races, refuses: ends(of(", key "), refusal)})
	if s.Verdict != probe.Fail {
		t.Errorf("the raced keys alone: %s %v", s.Verdict, s.Reasons)
	}
}

// TestNobodyAnswers: of copies that got no answer it is not said that they came
// one after another.
func TestNobodyAnswers(t *testing.T) {
	const why = "a copy got no answer"
	lost := func(_ *conn, on leg) bool { return on.released > 0 }
	_, s := raced(t, scene{http2: true, refuses: ends(lost, trace.Answer{Outcome: trace.TimedOut, Error: "no answer in time"})})
	if s.Verdict != probe.Inconclusive {
		t.Fatalf("%s %v", s.Verdict, s.Findings)
	}
	for _, r := range s.Evidence.Releases {
		if !slices.Equal(r.Uncounted, []probe.Uncounted{{Why: why, Rounds: r.Made}}) {
			t.Errorf("%+v", r)
		}
	}
	if !slices.ContainsFunc(s.Reasons, func(r probe.Reason) bool { return r.Text == "no round counts: in 22 of 22 "+why }) {
		t.Errorf("%v", s.Reasons)
	}
}

// TestNoPairCounts: a stampede alone shows no window, so that the step is left
// open where the pairs came one after another. One pair that counts is enough.
func TestNoPairCounts(t *testing.T) {
	events := perform(t, scene{contract: overHTTP2, http2: true, only: []string{"concurrent"}})
	// late moves a pair's second copy behind the first one's answer.
	late := func(but string) probe.Result {
		changed := slices.Clone(events)
		for i, e := range changed {
			if e.Label != "race" || e.Copy != 1 || !strings.HasPrefix(e.Trial, "2 copies") || e.Trial == but {
				continue
			}
			const by = int64(time.Second)
			if e.Sent != nil {
				sent := *e.Sent
				sent.WriteBegan, sent.WriteEnded = sent.WriteBegan+by, sent.WriteEnded+by
				changed[i].Sent = &sent
			}
			if e.Answer != nil {
				answer := *e.Answer
				answer.FirstByte, answer.LastByte = answer.FirstByte+by, answer.LastByte+by
				changed[i].Answer = &answer
			}
		}
		return judged(t, changed).Operations[0].Steps[1]
	}
	s := late("")
	if s.Verdict != probe.Inconclusive || len(s.Reasons) != 1 || !strings.HasPrefix(s.Reasons[0].Text, "no pair counts: in 20 of 20 its copies did not overlap; what counts is 2 rounds") ||
		s.Reasons[0].Settle == "" {
		t.Errorf("%s %v", s.Verdict, s.Reasons)
	}
	if s = late("2 copies apart, body hold, round 3"); s.Verdict != probe.Pass {
		t.Errorf("with one pair: %s %v", s.Verdict, s.Reasons)
	}
}
