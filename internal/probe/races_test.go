package probe_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// overHTTP2 is the charges contract where HTTP/2 is spoken.
var overHTTP2 = strings.Replace(charge, "timeout: 10s", `timeout: 10s, http: "2"`, 1)

// modelled gives gaps at the server as the model has them.
func modelled(seed uint64) func(int, bool) time.Duration {
	random := rand.New(rand.NewPCG(seed, 7))
	return func(copy int, shared bool) time.Duration {
		sigma, written := probe.SigmaShared, time.Duration(0)
		if !shared {
			sigma, written = probe.SigmaApart, apart // the second is written so much later already
		}
		if copy%2 == 0 {
			return 0
		}
		return time.Duration(math.Abs(random.NormFloat64())*float64(sigma)) - written
	}
}

// raced plays the concurrent step alone.
func raced(t testing.TB, sc scene) (*probe.Report, probe.Result) {
	t.Helper()
	sc.only = []string{"concurrent"}
	if sc.http2 && sc.contract == "" {
		sc.contract = overHTTP2
	}
	r, _ := play(t, sc)
	return r, step(t, r, "concurrent")
}

// pairsOf gives how many pairs of a result count, and how many of them broke.
func pairsOf(s probe.Result) (count, broken int) {
	for _, r := range s.Evidence.Releases {
		if r.Copies == 2 {
			count, broken = count+r.Overlapped, broken+r.Broken
		}
	}
	return count, broken
}

// planOf gives the concurrent step's plan.
func planOf(t testing.TB, text string, races trace.Races) *probe.Plan {
	t.Helper()
	c, err := contract.Parse("contract.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := probe.Plans(c.Operations[0], probe.Env{RunID: "00000000000000a1", Keys: probe.GeneratedKeys{}, Contract: c, Races: races},
		probe.Selection{Only: []string{"concurrent"}})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(plans, func(p *probe.Plan) bool { return p.Step == "concurrent" })
	return plans[i]
}

// releasesOf tells what a plan releases: how often which kind.
func releasesOf(p *probe.Plan) string {
	seen := map[string]int{}
	var order []string
	for _, thread := range p.Threads {
		walkAll(thread.Actions, func(a probe.Action) {
			kind := ""
			switch a := a.(type) {
			case probe.Send:
				if a.Label == "race" {
					kind = fmt.Sprintf("%d %s%s", a.Copies, a.Hold, map[bool]string{true: " apart"}[a.Apart])
				}
			case probe.Burst:
				if a.Label == "race" {
					kind = fmt.Sprintf("burst of %d %s", len(a.Requests), a.Hold)
				}
			}
			if kind != "" && seen[kind] == 0 {
				order = append(order, kind)
			}
			seen[kind]++
		})
	}
	for i, kind := range order {
		order[i] = fmt.Sprintf("%d x %s", seen[kind], kind)
	}
	return strings.Join(order, ", ")
}

// walkAll visits actions, those of trials too. What may be sent on trouble is left out.
func walkAll(actions []probe.Action, visit func(probe.Action)) {
	for _, a := range actions {
		visit(a)
		switch a := a.(type) {
		case probe.Try:
			walkAll(a.Body, visit)
		case probe.Fan:
			for _, branch := range a.Branches {
				walkAll(branch, visit)
			}
		}
	}
}

// TestRacesPlanned holds which rounds are planned, by what is spoken and asked.
func TestRacesPlanned(t *testing.T) {
	secure := strings.Replace(charge, "http://", "https://", 1)
	speaking := func(text, version string) string {
		return strings.Replace(text, "timeout: 10s", "timeout: 10s, http: "+version, 1)
	}
	plain := "5 x 2 body, 5 x 2 header, 1 x 30 body"
	shared := "5 x 2 body, 5 x 2 header, 5 x 2 body apart, 5 x 2 header apart, 1 x 30 body, 1 x 30 body apart"
	for _, c := range []struct {
		name, contract string
		races          trace.Races
		want           string
		note           string
	}{
		{name: "plain", contract: charge, want: plain},
		{name: "plain, auto", contract: speaking(charge, "auto"), want: plain},
		{name: "plain, 1.1", contract: speaking(charge, `"1.1"`), want: plain},
		{name: "plain, 2", contract: speaking(charge, `"2"`), want: shared},
		{name: "secure", contract: secure, want: shared},
		{name: "secure, auto", contract: speaking(secure, "auto"), want: shared},
		{name: "secure, 1.1", contract: speaking(secure, `"1.1"`), want: plain},
		{name: "not filled in", contract: strings.Replace(charge, "http://127.0.0.1:8080", "${BASE}", 1), want: plain,
			note: "the base URL is not filled in: where it is https"},
		{name: "rounds", contract: charge, races: trace.Races{Rounds: 7}, want: "7 x 2 body, 7 x 2 header, 1 x 30 body"},
		{name: "one round", contract: charge, races: trace.Races{Rounds: 1}, want: "1 x 2 body, 1 x 2 header, 1 x 30 body"},
		{name: "rounds, shared", contract: secure, races: trace.Races{Rounds: 2},
			want: "2 x 2 body, 2 x 2 header, 2 x 2 body apart, 2 x 2 header apart, 1 x 30 body, 1 x 30 body apart"},
		{name: "keys", contract: charge, races: trace.Races{Keys: 15},
			want: "5 x 2 body, 5 x 2 header, 5 x burst of 30 body, 5 x burst of 30 header, 1 x 30 body"},
		{name: "keys and rounds", contract: charge, races: trace.Races{Keys: 3, Rounds: 2},
			want: "2 x 2 body, 2 x 2 header, 2 x burst of 6 body, 2 x burst of 6 header, 1 x 30 body"},
		{name: "derived", contract: charge, races: trace.Races{Power: .99, Window: 10_000},
			want: "33 x 2 body, 33 x 2 header, 1 x 30 body", note: "33 pairs under each hold show a window of 10µs with 99 %"},
		{name: "derived, shared", contract: secure, races: trace.Races{Power: .99, Window: 10_000},
			want: "21 x 2 body, 21 x 2 header, 33 x 2 body apart, 33 x 2 header apart, 1 x 30 body, 1 x 30 body apart",
			note: "21 pairs on a shared connection, and 33 on connections of their own, under each hold show a window of 10µs with 99 %"},
		{name: "asked only", contract: charge, races: trace.Races{Rounds: 5, Window: 10_000},
			want: plain, note: "5 pairs under each hold show a window of 10µs with 50.8 %"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planOf(t, c.contract, c.races)
			if got := releasesOf(p); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			note := strings.Join(p.Notes, "\n")
			if c.note == "" && note != "" || !strings.HasPrefix(note, c.note) || c.races.Window > 0 && !strings.Contains(note, "an assumption") {
				t.Errorf("notes: %s", note)
			}
		})
	}
}

// TestDerivedRoundsShow plays servers that let a second copy in for a time, and
// rounds derived for it: one that breaks its promise is caught as often as
// promised, pairs break as often as the model says, over both versions of HTTP.
func TestDerivedRoundsShow(t *testing.T) {
	const plays = 40
	window, power := 20*us, .9
	for _, http2 := range []bool{false, true} {
		caught, count, broken, expected := 0, 0, 0, 0.0
		for i := range plays {
			_, s := raced(t, scene{http2: http2, gap: modelled(uint64(i)), behaviour: behaviour{fault: "check then act", lets: window},
				env: probe.Env{Races: trace.Races{Power: power, Window: int64(window)}}})
			n, b := pairsOf(s)
			count, broken = count+n, broken+b
			if b > 0 {
				caught++
			}
			for _, r := range s.Evidence.Releases {
				if r.Copies == 2 {
					sigma := probe.SigmaApart
					if !r.Apart {
						sigma = probe.SigmaShared
					}
					expected += float64(r.Overlapped) * probe.Chance(window, sigma)
				}
			}
			if s.Verdict != probe.Fail || len(s.Evidence.Powers) != 0 && b > 0 {
				t.Fatalf("play %d: %s, powers %v", i, s.Verdict, s.Evidence.Powers)
			}
		}
		if float64(caught) < power*plays {
			t.Errorf("HTTP/2 %t: pairs caught it in %d of %d plays", http2, caught, plays)
		}
		if off := math.Abs(float64(broken) - expected); off > 4*math.Sqrt(expected) {
			t.Errorf("HTTP/2 %t: %d of %d pairs broke, by the model %.0f would", http2, broken, count, expected)
		}
	}
}

// TestSafeRounds releases ten thousand rounds against a server that keeps its
// promise, waiting or refusing: none is told to be a double. Under the race
// detector it is one thousand; .ci/run releases all without it.
func TestSafeRounds(t *testing.T) {
	most := 500
	if raceDetector {
		most = 50
	}
	for _, b := range []behaviour{{}, {inFlight: 409}} {
		_, s := raced(t, scene{http2: true, gap: modelled(3), behaviour: b,
			env: probe.Env{Races: trace.Races{Rounds: most, Keys: 3, Window: int64(us)}}})
		rounds := 0
		for _, r := range s.Evidence.Releases {
			rounds += r.Overlapped
			if r.Broken > 0 {
				t.Errorf("%+v", r)
			}
		}
		if s.Verdict != probe.Pass || rounds != 2*most*(1+1+3)+2 {
			t.Errorf("%s, %d rounds count: %v", s.Verdict, rounds, s.Reasons)
		}
		if want := fmt.Sprintf("no double in %d overlapped rounds", rounds); !slices.Contains(s.Notes, want) {
			t.Errorf("notes %q, want %q", s.Notes, want)
		}
	}
}

// TestBurstsAreJudgedByKey breaks the promise for one key of a burst: that key's
// case fails, and no other.
func TestBurstsAreJudgedByKey(t *testing.T) {
	gap := func(copy int, shared bool) time.Duration {
		if copy == 5 { // of the third key; in the stampede one of thirty
			return 0
		}
		return time.Duration(copy%2) * 3 * time.Millisecond
	}
	for _, http2 := range []bool{false, true} {
		_, s := raced(t, scene{http2: http2, gap: gap, behaviour: behaviour{fault: "check then act", lets: 500 * us},
			env: probe.Env{Races: trace.Races{Rounds: 2, Keys: 4}}})
		failed := 0
		for _, c := range s.Cases {
			inBurst := strings.Contains(c.Name, "burst")
			third := strings.HasSuffix(c.Name, ", key 3")
			if inBurst && (c.Verdict == probe.Fail) != third {
				t.Errorf("HTTP/2 %t: %s is %s %s", http2, c.Name, c.Verdict, c.Text)
			}
			if inBurst && third {
				failed++
			}
		}
		if failed != 4 { // two bursts under each hold
			t.Errorf("HTTP/2 %t: %d cases of a third key: %v", http2, failed, s.Cases)
		}
		bursts := 0
		for _, r := range s.Evidence.Releases {
			if r.Keys != 4 {
				continue
			}
			bursts++
			if r.Copies != 2 || r.Made != 8 || r.Overlapped != 8 || r.Broken != 2 || r.Apart == http2 || (r.Connections == [2]int{1, 1}) != http2 {
				t.Errorf("HTTP/2 %t: %+v", http2, r)
			}
		}
		if bursts != 2 {
			t.Errorf("HTTP/2 %t: releases %+v", http2, s.Evidence.Releases)
		}
	}
}

// TestEarlyAnswers: where a server claims a key by the head and tells copies so
// before their bodies came, body holds show nothing and header holds do.
func TestEarlyAnswers(t *testing.T) {
	_, s := raced(t, scene{http2: true, behaviour: behaviour{eager: true, inFlight: 409}})
	if s.Verdict != probe.Pass {
		t.Fatalf("%s: %v %v", s.Verdict, s.Reasons, s.Findings)
	}
	for _, r := range s.Evidence.Releases {
		early := []probe.Uncounted{{Why: "an answer came before its request was whole", Rounds: r.Made}}
		switch body := r.Hold == "body"; {
		case body && (r.Overlapped != 0 || !slices.Equal(r.Uncounted, early)), !body && (r.Overlapped != r.Made || len(r.Uncounted) > 0):
			t.Errorf("%+v", r)
		}
	}
	for _, p := range s.Evidence.Powers {
		if (p.Rounds == 0) != (p.Hold == "body") || (p.Window == 0) != (p.Hold == "body") {
			t.Errorf("%+v", p)
		}
	}
	if want := "no double in 10 overlapped rounds"; !slices.Contains(s.Notes, want) {
		t.Errorf("notes %q", s.Notes)
	}
}

// TestRefusedStreams: a copy that the server told that it did not process is
// nobody's fault and no evidence; a copy that it lost otherwise is.
func TestRefusedStreams(t *testing.T) {
	second := func(c *conn, on leg) bool {
		return on.stream > 1 && strings.HasPrefix(c.request.ID, "concurrent/2 copies")
	}
	_, s := raced(t, scene{http2: true, refuses: second})
	if s.Verdict != probe.Pass {
		t.Fatalf("%s: %v %v", s.Verdict, s.Reasons, s.Findings)
	}
	for _, r := range s.Evidence.Releases {
		if shared := r.Copies == 2 && !r.Apart; shared != (r.Overlapped == 0) || shared != (len(r.Uncounted) > 0) {
			t.Errorf("%+v", r)
		}
	}
	seen := map[string]bool{}
	all := func(c *conn, on leg) bool {
		known := seen[c.request.ID]
		seen[c.request.ID] = true
		return on.released > 0 && known
	}
	_, s = raced(t, scene{http2: true, refuses: all})
	if s.Verdict != probe.Inconclusive || len(s.Findings) > 0 || len(s.Reasons) == 0 {
		t.Errorf("all refused: %s: %v %v", s.Verdict, s.Reasons, s.Findings)
	}
	for _, b := range []behaviour{{fault: "loser is cut off"}, {fault: "loser gets 500"}} {
		if _, s := raced(t, scene{http2: true, behaviour: b}); s.Verdict != probe.Fail || s.Findings[0].Slug != "concurrent/loser-error" {
			t.Errorf("%s: %s %v", b.fault, s.Verdict, s.Reasons)
		}
	}
	// Half of them refused: what raced all the same is judged.
	_, s = raced(t, scene{http2: true, refuses: second, behaviour: behaviour{fault: "check then act"}})
	if s.Verdict != probe.Fail || s.Findings[0].Slug != "concurrent/effect-ran-twice" {
		t.Errorf("check then act: %s %v", s.Verdict, s.Reasons)
	}
}

// TestAnsweredAsSoonAsWritten: where an answer comes before this side has noticed
// that its write had ended, the two are given one time. Copies of one write were
// in flight together all the same; an answer from before the release is early.
func TestAnsweredAsSoonAsWritten(t *testing.T) {
	events := perform(t, scene{contract: overHTTP2, http2: true, only: []string{"concurrent"}})
	counted := func(change func(sent *trace.Sent, answers []*trace.Answer)) (n, made int) {
		answers := map[string][]*trace.Answer{}
		for _, e := range events {
			if e.Label == "race" && e.Kind == trace.KindAnswer {
				answers[e.Trial] = append(answers[e.Trial], e.Answer)
			}
		}
		changed := slices.Clone(events)
		for i, e := range changed {
			if e.Label == "race" && e.Kind == trace.KindSent {
				sent := *e.Sent
				change(&sent, answers[e.Trial])
				changed[i].Sent = &sent
			}
		}
		for _, r := range judged(t, changed).Operations[0].Steps[1].Evidence.Releases {
			n, made = n+r.Overlapped, made+r.Made
		}
		return n, made
	}
	first := func(answers []*trace.Answer) int64 {
		at := answers[0].FirstByte
		for _, a := range answers {
			at = min(at, a.FirstByte)
		}
		return at
	}
	if n, made := counted(func(s *trace.Sent, answers []*trace.Answer) { s.WriteEnded = first(answers) }); n != made || made != 22 {
		t.Errorf("ended as the first answer came: %d of %d rounds count", n, made)
	}
	if n, made := counted(func(s *trace.Sent, answers []*trace.Answer) { s.WriteEnded = first(answers) + 1 }); n == made {
		t.Errorf("ended after the first answer came: %d of %d rounds count", n, made)
	}
	if n, _ := counted(func(s *trace.Sent, answers []*trace.Answer) {
		s.WriteBegan, s.WriteEnded = first(answers)+int64(time.Second), first(answers)+int64(time.Second)
	}); n != 0 {
		t.Errorf("answered before the release: %d rounds count", n)
	}
}
