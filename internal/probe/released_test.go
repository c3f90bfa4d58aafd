package probe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestPowers holds what kinds of releases could have shown together, under each hold.
func TestPowers(t *testing.T) {
	pairs := func(protocol, hold string, apart bool, n int, spread time.Duration) probe.Release {
		return probe.Release{Copies: 2, Keys: 1, Protocol: protocol, Hold: hold, Apart: apart, Made: n, Overlapped: n,
			Spread: probe.Times{N: n, Median: spread}}
	}
	for _, c := range []struct {
		name     string
		releases []probe.Release
		want     []probe.Power // Reached is not looked at
	}{
		{"nothing", nil, nil},
		{"a stampede alone", []probe.Release{{Copies: 30, Keys: 1, Protocol: "HTTP/1.1", Hold: "body", Apart: true, Made: 1, Overlapped: 1}}, nil},
		{"own connections", []probe.Release{pairs("HTTP/1.1", "body", true, 5, us)},
			[]probe.Power{{Hold: "body", Rounds: 5, Sigma: 60 * us, Window: 36 * us}}},
		{"one connection", []probe.Release{pairs("HTTP/2", "body", false, 5, 0)},
			[]probe.Power{{Hold: "body", Rounds: 5, Sigma: 40 * us, Window: 24 * us}}},
		{"HTTP/2 on connections of their own", []probe.Release{pairs("HTTP/2", "body", true, 5, 0)},
			[]probe.Power{{Hold: "body", Rounds: 5, Sigma: 60 * us, Window: 36 * us}}},
		{"written further apart than the model has it", []probe.Release{pairs("HTTP/1.1", "body", true, 5, 100*us)},
			[]probe.Power{{Hold: "body", Rounds: 5, Sigma: 148260, Measured: true, Window: 88800}}},
		{"whole requests are the header hold", []probe.Release{pairs("HTTP/2", "whole", false, 5, 0), pairs("HTTP/2", "body", false, 1, 0)},
			[]probe.Power{{Hold: "body", Rounds: 1, Sigma: 40 * us, Window: 78400}, {Hold: "header", Rounds: 5, Sigma: 40 * us, Window: 24 * us}}},
		{"kinds add up", []probe.Release{pairs("HTTP/2", "body", false, 5, 0), pairs("HTTP/2", "body", true, 5, 0)},
			[]probe.Power{{Hold: "body", Rounds: 10, Sigma: 60 * us, Window: 15800}}},
		{"none counts", []probe.Release{{Copies: 2, Hold: "header", Protocol: "HTTP/1.1", Made: 5}},
			[]probe.Power{{Hold: "header", Sigma: 60 * us}}},
		{"not held", []probe.Release{{Copies: 2, Hold: "none", Protocol: "HTTP/1.1", Made: 5}}, nil},
	} {
		got := probe.PowersOf(c.releases, trace.Races{})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, got, c.want)
		}
	}
	asked := probe.PowersOf([]probe.Release{pairs("HTTP/1.1", "body", true, 33, 0)}, trace.Races{Power: .99, Window: 10_000})
	if p := asked[0]; p.Asked != 10*us || p.Wanted != .99 || p.Reached < .99 || p.Reached > .992 {
		t.Errorf("%+v", p)
	}
}

// after refuses the second copy of pairs whose round is above a number.
func after(round string) func(*conn, leg) bool {
	seen := map[string]bool{}
	return func(c *conn, on leg) bool {
		_, n, pair := strings.Cut(c.request.ID, ", round ")
		if !pair || on.released == 0 || len(n) < len(round) || len(n) == len(round) && n <= round {
			return false
		}
		known := seen[c.request.ID]
		seen[c.request.ID] = true
		return known
	}
}

// TestPowerIsHeldTo: what was asked for is reached by rounds that count, or left open.
func TestPowerIsHeldTo(t *testing.T) {
	asked := trace.Races{Power: .99, Window: int64(10 * us)}
	for _, c := range []struct {
		name   string
		scene  scene
		races  trace.Races
		want   probe.Verdict
		reason string
		note   string
	}{
		{"all count", scene{}, asked, probe.Pass, "", ", one of 10µs with 99"},
		{"few count", scene{refuses: after("4")}, asked, probe.Inconclusive,
			"body hold: 4 pairs of 33 count, and show a window of 10µs with 43.3 %: 99 % were asked for", "(99 % were asked for)"},
		{"few count, and no power is asked for", scene{refuses: after("4")}, trace.Races{Rounds: 33, Window: int64(10 * us)}, probe.Pass, "",
			", one of 10µs with 43.3 %"},
		{"answered before the body", scene{behaviour: behaviour{eager: true, inFlight: 409}}, asked, probe.Pass, "", ", one of 10µs with 99"},
		{"nothing is asked for", scene{}, trace.Races{}, probe.Pass, "", "a window would have shown with 95 % from"},
	} {
		c.scene.env = probe.Env{Races: c.races}
		_, s := raced(t, c.scene)
		if s.Verdict != c.want || c.reason != "" && (len(s.Reasons) != 2 || s.Reasons[0].Text != c.reason) {
			t.Errorf("%s: %s %v", c.name, s.Verdict, s.Reasons)
		}
		for _, r := range s.Reasons {
			if r.Settle != "--rounds 409 --window 10µs" {
				t.Errorf("%s: to settle it: %s", c.name, r.Settle)
			}
		}
		if len(s.Notes) != 2 || !strings.Contains(s.Notes[1], c.note) {
			t.Errorf("%s: %q", c.name, s.Notes)
		}
	}
}

// TestReleasesShown: kinds, their connections and times, over both versions of HTTP.
func TestReleasesShown(t *testing.T) {
	type shown struct {
		copies         int
		protocol, hold string
		apart          bool
		made           int
		connections    [2]int
		spread         time.Duration // the largest
	}
	for _, c := range []struct {
		http2 bool
		want  []shown
	}{
		{false, []shown{{2, "HTTP/1.1", "body", true, 5, [2]int{2, 2}, apart}, {2, "HTTP/1.1", "header", true, 5, [2]int{2, 2}, apart},
			{30, "HTTP/1.1", "body", true, 1, [2]int{30, 30}, 29 * apart}}},
		{true, []shown{{2, "HTTP/2", "body", false, 5, [2]int{1, 1}, 0}, {2, "HTTP/2", "whole", false, 5, [2]int{1, 1}, 0},
			{2, "HTTP/2", "body", true, 5, [2]int{2, 2}, apart}, {2, "HTTP/2", "whole", true, 5, [2]int{2, 2}, apart},
			{30, "HTTP/2", "body", false, 1, [2]int{1, 1}, 0}, {30, "HTTP/2", "body", true, 1, [2]int{30, 30}, 29 * apart}}},
	} {
		_, s := raced(t, scene{http2: c.http2})
		var got []shown
		for _, r := range s.Evidence.Releases {
			got = append(got, shown{r.Copies, r.Protocol, r.Hold, r.Apart, r.Made, r.Connections, r.Spread.Most})
			if r.Overlapped != r.Made || r.Broken != 0 || r.Keys != 1 || r.Answers.N != r.Copies*r.Made ||
				r.Answers.Least < 2*oneWay || r.Answers.Most > 100*time.Millisecond {
				t.Errorf("HTTP/2 %t: %+v", c.http2, r)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("HTTP/2 %t:\ngot  %+v\nwant %+v", c.http2, got, c.want)
		}
	}
}

// TestPictures: the first round that broke the promise, else the last pair; and
// the stampede.
func TestPictures(t *testing.T) {
	slow := func(copy int, shared bool) time.Duration { return time.Duration(copy%2) * 3 * time.Millisecond }
	for _, c := range []struct {
		name    string
		scene   scene
		want    []string // case and why
		classes []string // of the first picture's copies
	}{
		{"right, waiting", scene{}, []string{"2 copies, header hold, round 5: the last pair that overlapped", "30 copies, body hold: the stampede"},
			[]string{"result", "won"}}, // whoever waits is answered first
		{"right, refusing", scene{behaviour: behaviour{inFlight: 409}, http2: true},
			[]string{"2 copies apart, header hold, round 5: the last pair that overlapped", "30 copies, body hold: the stampede"}, []string{"won", "in flight"}},
		{"a double", scene{behaviour: behaviour{fault: "check then act"}},
			[]string{"2 copies, body hold, round 1: the first that broke a promise", "30 copies, body hold: the stampede"}, []string{"won", "another result"}},
		{"a double in the stampede", scene{behaviour: behaviour{fault: "check then act", lets: 500 * us}, gap: slow},
			[]string{"30 copies, body hold: the first that broke a promise"}, nil},
		{"lost copies", scene{behaviour: behaviour{fault: "loser is cut off"}},
			[]string{"2 copies, body hold, round 1: the first that broke a promise", "30 copies, body hold: the stampede"}, []string{"won", "no answer"}},
		{"refused streams", scene{http2: true, refuses: func(c *conn, on leg) bool { return on.stream > 1 }},
			[]string{"2 copies apart, header hold, round 5: the last pair that overlapped", "30 copies, body hold: the stampede"}, nil},
	} {
		_, s := raced(t, c.scene)
		var got []string
		for _, p := range s.Evidence.Pictures {
			got = append(got, p.Case+": "+p.Why)
			for _, x := range p.Copies {
				if p.Released == 0 || !x.Written || x.WriteBegan < 0 || x.WriteEnded < x.WriteBegan || x.Answered && x.FirstByte <= x.WriteEnded || x.LastByte < x.FirstByte {
					t.Errorf("%s: %s: %+v", c.name, p.Case, x)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
			continue
		}
		var classes []string
		for _, x := range s.Evidence.Pictures[0].Copies {
			classes = append(classes, x.Class)
		}
		if c.classes != nil && !slices.Equal(classes, c.classes) {
			t.Errorf("%s: %q, want %q", c.name, classes, c.classes)
		}
	}
}
