package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/probe"
)

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0us", 1: "0us", 49: "0us", 50: "0.1us", 949: "0.9us", 1000: "1us", 4149: "4.1us", 9949: "9.9us", 9950: "10us",
		12_345: "12us", 999_499: "999us", 999_500: "1ms", 1_250_000: "1.2ms", 43 * time.Millisecond: "43ms",
		999_600 * us: "1s", 30 * time.Second: "30s", time.Hour: "3600s", -3 * time.Millisecond: "-3ms", -1: "0us",
		math.MaxInt64: "9223372037s", math.MinInt64: "-9223372037s",
	} {
		if got := brief(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
	for _, c := range []struct {
		a, b time.Duration
		want string
	}{{12 * us, 12 * us, "12us"}, {12 * us, 40 * us, "12-40us"}, {0, 40 * us, "0-40us"}, {850 * us, 1200 * us, "850us-1.2ms"},
		{time.Second, 30 * time.Second, "1-30s"}, {-2 * us, 40 * us, "-2us to 40us"}, {9_010 * us, 9_020 * us, "9ms"}} {
		if got := briefRange(c.a, c.b); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestBriefIsNear: never off by more than a twentieth, and never longer than a
// table's column.
func TestBriefIsNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(50, 1e15).Draw(t, "nanoseconds"))
		text := brief(d)
		back, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%q: %s", text, err)
		}
		if off := math.Abs(float64(back-d)) / float64(d); off > 0.06 && math.Abs(float64(back-d)) > 50 {
			t.Fatalf("%d as %s, %.0f %% off", d, text, 100*off)
		}
		if d < 1000*time.Second && len(text) > len("999us") {
			t.Fatalf("%s", text)
		}
	})
}

// TestPercent: what is nearly certain is not called certain.
func TestPercent(t *testing.T) {
	for chance, want := range map[float64]string{0: "0 %", 1e-9: "0 %", 0.5: "50 %", 0.985: "98.5 %", 0.9989: "99.8 %", 0.99999: "99.9 %",
		1: "100 %", 7: "100 %", -1: "0 %", math.Inf(1): "100 %", math.Inf(-1): "0 %"} {
		if got := percent(chance); got != want {
			t.Errorf("%g: %s, want %s", chance, got, want)
		}
	}
	if got := percent(math.NaN()); got != "0 %" {
		t.Errorf("no number: %s", got)
	}
}

// TestManyAlikeAreToldOnce: a thousand rounds are no thousand lines, and nothing
// is left out.
func TestManyAlikeAreToldOnce(t *testing.T) {
	same := func(s string) string { return s }
	var rounds []string
	for i := range 40 {
		rounds = append(rounds, fmt.Sprintf("2 copies, body hold, round %d", i+1), fmt.Sprintf("15 keys x 2 copies, body hold, burst %d, key %d", i/15+1, i%15+1))
	}
	for _, c := range []struct{ in, want []string }{
		{nil, nil},
		{rounds[:12], rounds[:12]},
		{rounds, []string{rounds[0] + "; and 39 more like it", rounds[1] + "; and 39 more like it"}},
		{append([]string{"30 copies", "2 copies"}, rounds...), []string{"30 copies", "2 copies", rounds[0] + "; and 39 more like it", rounds[1] + "; and 39 more like it"}},
		{[]string{"kill-1", "a key", "key", "round x", "round ", "/amount changed"}, []string{"kill-1", "a key", "key", "round x", "round ", "/amount changed"}},
	} {
		if got := likes(c.in, same); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	s := raced()
	s.Cases = nil
	for i := range 40 {
		c := probe.Case{Name: rounds[2*i], Verdict: probe.Pass}
		if i%10 == 3 {
			c.Verdict, c.Text = probe.Inconclusive, "its copies did not overlap"
		}
		s.Cases = append(s.Cases, c)
	}
	var b bytes.Buffer
	human{b: &b, o: Options{Verbose: true}}.everything("create-charge", s)
	if text := b.String(); strings.Count(text, "\n") > 12 || strings.Count(text, "its copies did not overlap") != 4 || !strings.Contains(text, "round 1; and 35 more like it") {
		t.Error(text)
	}
}

// verbose is how a report's steps are told to those who ask.
func verbose(s probe.Result, columns int) string {
	var b bytes.Buffer
	human{b: &b, o: Options{Verbose: true, Width: columns}}.releases("create-charge", s)
	return b.String()
}

// TestReleasesFit: the table is one at 80 columns, and everything is told where
// it cannot be.
func TestReleasesFit(t *testing.T) {
	s := released()
	if table := verbose(s, 80); !strings.Contains(table, "  15 x 2  HTTP/2    body    1-2    28 of 30 ") {
		t.Errorf("no table at 80 columns\n%s", table)
	}
	for _, columns := range []int{40, 60, 80, 100, 200} {
		text := verbose(s, columns)
		words := strings.Join(strings.Fields(text), " ")
		for _, want := range []string{"28 of 30", "310us", "90ms", "1-2", "HTTP/1.1", "an answer came before its request was whole",
			"2 rounds of 15 x 2 copies, HTTP/2, body hold: its copies did not overlap", "promise broken: 1 of 5 rounds that count",
			"a window of 40us or longer", "one of 100us with 99.9 % (99 % wanted)", "broke a promise", "30 copies, body hold (the stampede)", "409, in flight"} {
			if !strings.Contains(words, want) {
				t.Errorf("at %d columns: no %q\n%s", columns, want, text)
			}
		}
		for line := range strings.Lines(text) {
			if n := width([]string{line}) - 1; n > columns {
				t.Errorf("%d columns of %d: %q", n, columns, line)
			}
		}
	}
}

// TestReleasesAreForThoseWhoAsk: without --verbose a person is told nothing of
// them but what the evidence says, and without any there is nothing to tell.
func TestReleasesAreForThoseWhoAsk(t *testing.T) {
	r := failing()
	without := string(render(t, "human", r))
	r.Operations[0].Steps[1] = released()
	if with := string(render(t, "human", r)); with != without {
		t.Errorf("told to everybody\n%s", with)
	}
	if text := verbose(raced(), 80); text != "" {
		t.Errorf("nothing was released: %q", text)
	}
}

// TestReleasesOfOddKinds: what could not be measured is a dash, and no round
// shows no window.
func TestReleasesOfOddKinds(t *testing.T) {
	var s probe.Result
	s.Evidence.Releases = []probe.Release{
		{},
		{Copies: 1, Keys: 1, Hold: "none", Made: 1},
		{Copies: 2, Keys: 1, Hold: "mixed", Made: 1, Uncounted: []probe.Uncounted{{Why: evil, Rounds: 1}}},
		{Copies: 2, Keys: 1, Protocol: evil, Hold: evil, Apart: true, Made: 1},
	}
	s.Evidence.Powers = []probe.Power{{Hold: "body"}, {Hold: evil, Rounds: 1, Window: 1, Asked: 1, Reached: math.NaN(), Wanted: math.Inf(1)}}
	text := verbose(s, 60)
	for _, want := range []string{"1 copy, not held", "2 copies, held in different ways", "none would have shown anything"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !isClean(line) {
			t.Errorf("unclean: %q", line)
		}
	}
}

// TestJSONReleases: every number is there under its name, in nanoseconds, and
// what never was is null and not 0.
func TestJSONReleases(t *testing.T) {
	r := failing()
	r.Operations[0].Steps[1] = released()
	r.Operations[0].Steps[1].Evidence.Powers[1].Reached = math.NaN()
	var back struct {
		Operations []struct {
			Steps []struct {
				Evidence struct {
					Releases, Powers []map[string]any
					Pictures         []struct{ Copies []map[string]any }
				}
			}
		}
	}
	if err := json.Unmarshal(render(t, "json", r), &back); err != nil {
		t.Fatal(err)
	}
	e := back.Operations[0].Steps[1].Evidence
	if len(e.Releases) != 5 || len(e.Powers) != 2 || len(e.Pictures) != 3 || len(e.Pictures[1].Copies) != 30 {
		t.Fatalf("%+v", e)
	}
	tls := e.Releases[2]
	if tls["protocol"] != "HTTP/1.1" || tls["hold"] != "header" || tls["rounds"] != 5.0 || tls["apart"] != true ||
		tls["spread_ns"].(map[string]any)["most"] != 310e3 || tls["answer_ns"].(map[string]any)["median"] != 5.1e6 {
		t.Errorf("%v", tls)
	}
	if p := e.Powers[0]; p["window_ns"] != 40e3 || p["asked_window_power"] != 0.99998 || p["wanted_power"] != 0.99 {
		t.Errorf("%v", p)
	}
	won, unwritten, unanswered := e.Pictures[0].Copies[0], e.Pictures[1].Copies[29], e.Pictures[2].Copies[1]
	if won["first_byte_ns"] != 5.1e6 || won["write_ended_ns"] != 12e3 || won["stream"] != 1.0 || won["class"] != "won" {
		t.Errorf("%v", won)
	}
	if unwritten["write_began_ns"] != nil || unwritten["last_byte_ns"] != nil || unwritten["copy"] != 29.0 {
		t.Errorf("%v", unwritten)
	}
	if unanswered["first_byte_ns"] != nil || unanswered["last_byte_ns"] != 30e9 {
		t.Errorf("%v", unanswered)
	}
}

// TestPagesFoldReleasesAway: pages have the table and the pictures, in a block
// that is closed.
func TestPagesFoldReleasesAway(t *testing.T) {
	r := failing()
	r.Operations[0].Steps[1] = released()
	drawing := strings.TrimRight(drawn(r, Options{}, released()), "\n")
	for format, open := range map[string]string{"markdown": "<details><summary>concurrent in create-charge: how copies were released",
		"html": "<details><summary>concurrent: how copies were released"} {
		text := string(render(t, format, r))
		_, block, found := strings.Cut(text, open)
		block, _, closed := strings.Cut(block, "</details>")
		if !found || !closed {
			t.Errorf("%s has no block\n%s", format, text)
			continue
		}
		for _, row := range []string{"28 of 30", "310us", "HTTP/1.1"} {
			if !strings.Contains(block, row) {
				t.Errorf("%s: no %q in the table", format, row)
			}
		}
		if format == "markdown" && !strings.Contains(block, drawing) {
			t.Errorf("markdown has no picture\n%s", block)
		}
		if format == "html" && (!strings.Contains(block, "copy 8    |w...") || strings.Contains(block, ">later")) {
			t.Errorf("html has no picture\n%s", block)
		}
		if strings.Contains(string(render(t, format, passing())), "how copies were released") {
			t.Errorf("%s: nothing was released", format)
		}
	}
}
