package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

func plan(actions ...probe.Action) probe.Plan {
	return probe.Plan{Threads: []probe.Thread{{Trial: "t", Actions: actions}}}
}

func TestMostSends(t *testing.T) {
	send := probe.Send{Request: "r"}
	for _, c := range []struct {
		name string
		plan probe.Plan
		want int
	}{
		{"nothing", probe.Plan{}, 0},
		{"no copies given is one", plan(send), 1},
		{"copies", plan(probe.Send{Copies: 30}, send), 31},
		{"burst and volley", plan(probe.Burst{Requests: make([]string, 3)}, probe.Volley{Requests: make([]string, 24)}), 27},
		{"repeat", plan(probe.Repeat{Max: 60, Body: []probe.Action{send, send}}), 120},
		{"repeat in a repeat", plan(probe.Repeat{Max: 3, Body: []probe.Action{send, probe.Repeat{Max: 4, Body: []probe.Action{send}}}}), 15},
		{"condition counts as met", plan(probe.If{Body: []probe.Action{send}}), 1},
		{"branches add up", plan(probe.Fan{Branches: [][]probe.Action{{send}, {send, send}}}), 3},
		{"trial within", plan(probe.Try{Body: []probe.Action{send}}), 1},
		{"no sends", plan(probe.Count{}, probe.Settle{}, probe.Wait{}, probe.Start{}, probe.Advance{}), 0},
		{"negative bound", plan(probe.Repeat{Max: -1, Body: []probe.Action{send}}), 0},
		{"overflow", plan(send, probe.Repeat{Max: math.MaxInt, Body: []probe.Action{send, send}}), math.MaxInt},
		{"overflow of a sum", plan(probe.Send{Copies: math.MaxInt}, probe.Send{Copies: 2}), math.MaxInt},
	} {
		if got := MostSends(c.plan); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestExpected(t *testing.T) {
	send := func(id string) probe.Action { return probe.Send{Request: id} }
	requests := []*probe.Request{{ID: "a", Key: "1"}, {ID: "changed a", Key: "1"}, {ID: "b", Key: "2"}, {ID: "c", Key: "3"}}
	for _, c := range []struct {
		name         string
		actions      []probe.Action
		makes, sends int
	}{
		{"nothing", nil, 0, 0},
		{"one key is one operation", []probe.Action{send("a"), send("changed a"), send("a")}, 1, 3},
		{"copies", []probe.Action{probe.Send{Request: "a", Copies: 30}}, 1, 30},
		{"what may be repeated is sent once", []probe.Action{probe.Repeat{Max: 60, Body: []probe.Action{send("a"), send("b")}}}, 2, 2},
		{"never is not once", []probe.Action{probe.Repeat{Max: 0, Body: []probe.Action{send("a")}}}, 0, 0},
		{"conditions are for trouble", []probe.Action{send("a"), probe.If{Body: []probe.Action{send("b")}}}, 1, 1},
		{"branches, trials, bursts and volleys", []probe.Action{probe.Fan{Branches: [][]probe.Action{{send("a")}, {probe.Try{Body: []probe.Action{send("b")}}}}},
			probe.Burst{Requests: []string{"a", "c"}}, probe.Volley{Requests: []string{"b", "c"}}}, 3, 6},
		{"overflow", []probe.Action{probe.Send{Request: "a", Copies: math.MaxInt}, send("a")}, 1, math.MaxInt},
	} {
		p := plan(c.actions...)
		p.Requests = requests
		if makes, sends := Expected(p); makes != c.makes || sends != c.sends {
			t.Errorf("%s: %d and %d, want %d and %d", c.name, makes, sends, c.makes, c.sends)
		}
		if _, sends := Expected(p); sends > MostSends(p) {
			t.Errorf("%s: more is expected than at most", c.name)
		}
	}
}

func TestPlanLinesShowEveryActionAndBound(t *testing.T) {
	var b strings.Builder
	for _, l := range PlanLines(simplePlan()) {
		b.WriteString(strings.Repeat(" ", l.Depth) + l.Action + " " + l.Text + "\n")
	}
	for _, want := range []string{
		"thread duplicate, overlaps others", "repeat at most 60 times, every 150ms, for at most 2s", "send first: request duplicate/first",
		"30 copies together", "released by the last byte of the body", "as the other principal", "to replica 2", "the expiry instance",
		"settle wait 500ms", "wait until 1m30s after first began to be sent", "wait until 24h after first was answered",
		"with the sibling's counter", "more than at after", "where an answer to first, race is missing", "advance the target's clock by 25h",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestPlanLinesShowRaces(t *testing.T) {
	for want, action := range map[string]probe.Action{
		"race: 2 copies together of request r, released by the last byte of the body, each on a connection of its own": probe.Send{Label: "race", Request: "r", Copies: 2, Hold: probe.HoldBody, Apart: true},
		"race: 2 copies together of request r, released by the end of the header section":                              probe.Send{Label: "race", Request: "r", Copies: 2, Hold: probe.HoldHeader},
		"race: 4 copies together of 2 requests: a, b, released by the end of the header section":                       probe.Burst{Label: "race", Requests: []string{"a", "a", "b", "b"}, Trials: []string{"1", "1", "2", "2"}, Hold: probe.HoldHeader},
		"race: 2 requests together, one copy each: a, b, each on a connection of its own":                              probe.Burst{Label: "race", Requests: []string{"a", "b"}, Apart: true},
	} {
		lines := PlanLines(probe.Plan{Threads: []probe.Thread{{Actions: []probe.Action{action}}}})
		if got := lines[len(lines)-1].Text; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestBranchesAreMergedOnlyWhereAlike: one difference that is no name or
// request keeps a branch apart.
func TestBranchesAreMergedOnlyWhereAlike(t *testing.T) {
	branch := func() []probe.Action {
		return []probe.Action{
			probe.Repeat{Max: 2, Every: time.Second, Within: time.Minute, While: probe.Condition{Fact: probe.Unsettled, Labels: []string{"a"}},
				Body: []probe.Action{probe.Send{Label: "a", Request: "r1", Copies: 1}}},
			probe.Count{Label: "c", Subject: probe.Subject{Text: "x=1"}, Poll: true, Above: "one"},
		}
	}
	lines := func(other []probe.Action) int {
		n := 0
		for _, l := range PlanLines(plan(probe.Fan{Branches: [][]probe.Action{branch(), other}})) {
			if l.Action == "branch" {
				n++
			}
		}
		return n
	}
	named := branch()
	r := named[0].(probe.Repeat)
	r.While.Labels, r.Body = []string{"b"}, []probe.Action{probe.Send{Label: "b", Request: "r2", Copies: 1}}
	named[0], named[1] = r, probe.Count{Label: "d", Subject: probe.Subject{Text: "x=2"}, Poll: true, Above: "two"}
	if got := lines(named); got != 1 {
		t.Errorf("branches that differ in names and requests: %d kinds", got)
	}
	for name, change := range map[string]func([]probe.Action){
		"bound":    func(b []probe.Action) { r := b[0].(probe.Repeat); r.Max = 3; b[0] = r },
		"time":     func(b []probe.Action) { r := b[0].(probe.Repeat); r.Within = time.Hour; b[0] = r },
		"fact":     func(b []probe.Action) { r := b[0].(probe.Repeat); r.While.Fact = probe.Troubled; b[0] = r },
		"copies":   func(b []probe.Action) { b[0].(probe.Repeat).Body[0] = probe.Send{Label: "a", Request: "r1", Copies: 2} },
		"hold":     func(b []probe.Action) { b[0].(probe.Repeat).Body[0] = probe.Send{Copies: 1, Hold: probe.HoldBody} },
		"polling":  func(b []probe.Action) { b[1] = probe.Count{Label: "c"} },
		"baseline": func(b []probe.Action) { b[1] = probe.Count{Label: "c", Poll: true} },
		"kind":     func(b []probe.Action) { b[1] = probe.Settle{} },
	} {
		other := branch()
		change(other)
		if got := lines(other); got != 2 {
			t.Errorf("another %s: %d kinds", name, got)
		}
	}
}

func TestRangesAndSpans(t *testing.T) {
	for _, c := range []struct {
		in   []int
		want string
	}{{[]int{1}, "1"}, {[]int{1, 2}, "1-2"}, {[]int{1, 3, 5, 6, 7}, "1, 3, 5-7"}} {
		if got := ranges(c.in); got != c.want {
			t.Errorf("%v: %s", c.in, got)
		}
	}
	for d, want := range map[time.Duration]string{0: "0s", 24 * time.Hour: "24h", 90 * time.Second: "1m30s", time.Minute: "1m",
		time.Hour + time.Second: "1h0m1s", 500 * time.Millisecond: "500ms", 10 * time.Second: "10s", 30 * time.Minute: "30m"} {
		if got := span(d); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDryRunIsTheSameEveryTime(t *testing.T) {
	for _, format := range Formats() {
		var first bytes.Buffer
		for i := range 5 {
			var b bytes.Buffer
			if err := WriteDry(&b, format, dryRun(), goldenOptions); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = b
			} else if !bytes.Equal(first.Bytes(), b.Bytes()) {
				t.Fatalf("%s differs from run to run", format)
			}
		}
	}
}

// TestDryRunIsAPage: the plan is long, and stands under --verbose. JSON has all
// of it either way.
func TestDryRunIsAPage(t *testing.T) {
	const key, action = "key-of-duplicate/first", "released by the last byte"
	var page, whole bytes.Buffer
	if WriteDry(&page, "human", dryRun(), goldenOptions) != nil {
		t.Fatal("not written")
	}
	verbose := goldenOptions
	verbose.Verbose = true
	if WriteDry(&whole, "human", dryRun(), verbose) != nil {
		t.Fatal("not written")
	}
	if n := strings.Count(page.String(), "\n"); n > 30 {
		t.Errorf("%d lines", n)
	}
	for _, text := range []string{key, action, bodyOne} {
		if strings.Contains(page.String(), text) || !strings.Contains(whole.String(), text) {
			t.Errorf("%q stands on the page, or not under --verbose", text)
		}
	}
	for _, s := range dryRun().Operations[0].Sections.named() {
		if !strings.Contains(page.String(), "\n  "+s.name+" ") {
			t.Errorf("no section %s", s.name)
		}
	}
	var a, b bytes.Buffer
	if WriteDry(&a, "json", dryRun(), goldenOptions) != nil || WriteDry(&b, "json", dryRun(), verbose) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) ||
		!strings.Contains(a.String(), key) || !strings.Contains(a.String(), action) {
		t.Error("JSON hangs on --verbose, or lacks the plan")
	}
}

// TestPageLeavesOutWhatSaysNothing.
func TestPageLeavesOutWhatSaysNothing(t *testing.T) {
	s := section{name: "replay", facts: []Fact{{Name: "compare", Value: "json"}, {Name: "same_headers", List: []string{}}, {Name: "marker", Open: true},
		{Name: "covers", List: []string{"", "/a"}}, {Name: "detail", Value: "long", Detail: true}, {Name: "stored", Open: true}}}
	if got, want := s.paragraph(), `compare: json; covers: "", /a; not said: marker, stored`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := (section{}).paragraph(); got != "nothing is said" {
		t.Error(got)
	}
}

func TestDryLastLine(t *testing.T) {
	var b bytes.Buffer
	if err := WriteDry(&b, "human", Dry{Exit: 3}, Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "\nnothing was sent and no promise was checked: this was a dry run (exit 3)\n") {
		t.Error(b.String())
	}
}
