package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

func reasons(texts ...string) []probe.Reason {
	var out []probe.Reason
	for _, text := range texts {
		out = append(out, probe.Reason{Text: text})
	}
	return out
}

func TestEqualReasonsAreFolded(t *testing.T) {
	const trouble = "no connection, and so did other keys: the environment did it"
	for _, c := range []struct {
		name  string
		in    []probe.Reason
		cases int
		want  []string
	}{
		{"none", nil, 0, nil},
		{"one keeps its case", reasons("kill-1: " + trouble), 5, []string{"kill-1: " + trouble}},
		{"all cases", reasons("a: "+trouble, "b: "+trouble), 2, []string{"2 of 2 cases: " + trouble}},
		{"some cases", reasons("a: "+trouble, "b: "+trouble), 5, []string{"2 of 5 cases: " + trouble}},
		{"more reasons than cases", reasons("a: x", "b: x", "c: x"), 1, []string{"3 of 3 cases: x"}},
		{"others keep their order", reasons("a: x", "whole", "b: x", "a: y"), 2, []string{"2 of 2 cases: x", "whole", "a: y"}},
		{"no case before it", reasons("the counter failed", "the run ended"), 2, []string{"the counter failed", "the run ended"}},
		{"answers that differ in a number", reasons(`a: refused: status 400: {"id":1}`, `b: refused: status 400: {"id":2}`), 2,
			[]string{`2 of 2 cases: refused: status 400: {"id":1}`}},
		{"statuses that differ", reasons("a: refused: status 400: x", "b: refused: status 500: x"), 2,
			[]string{"a: refused: status 400: x", "b: refused: status 500: x"}},
		{"a status at the end", reasons("a: status 400", "b: status 400"), 2, []string{"2 of 2 cases: status 400"}},
		{"other settlements", []probe.Reason{{Text: "a: x", Settle: "one"}, {Text: "b: x", Settle: "two"}}, 2, []string{"a: x", "b: x"}},
		{"other lines", []probe.Reason{{Text: "a: x", Line: 1}, {Text: "b: x", Line: 2}}, 2, []string{"a: x", "b: x"}},
	} {
		var got []string
		for _, r := range folded(c.in, c.cases) {
			got = append(got, r.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestEvidence: a row begins with what is wrong and ends with the controls.
func TestEvidence(t *testing.T) {
	held := []probe.Control{{Name: "counter", Held: true}, {Name: "mutation", Held: true}}
	two := []probe.Case{{Verdict: probe.Pass}, {Verdict: probe.Pass}}
	once := probe.Effects{Settled: 1, Unit: 1, CountedBy: "http"}
	for _, c := range []struct {
		name string
		in   probe.Result
		want string
	}{
		{"nothing", probe.Result{Verdict: probe.Pass}, "-"},
		{"pass", probe.Result{Verdict: probe.Pass, Evidence: probe.Evidence{Effects: &once, Controls: held,
			Measures: []probe.Measure{{Name: "requests", Value: "3", Text: "3 requests"}, {Name: "spread", Value: "1ms"}}}},
			"3 requests; 1 effect counted by http; controls held: counter, mutation"},
		{"pass of cases", probe.Result{Verdict: probe.Pass, Cases: two, Evidence: probe.Evidence{Effects: &once}}, "1 effect in each of 2 cases counted by http"},
		{"pass with a case that shows nothing", probe.Result{Verdict: probe.Pass, Evidence: probe.Evidence{Effects: &once},
			Cases: []probe.Case{{Verdict: probe.Pass}, {Verdict: probe.Inconclusive}}}, "1 effect counted by http; inconclusive in 1 of 2 cases"},
		{"an operation of more effects", probe.Result{Verdict: probe.Pass, Evidence: probe.Evidence{Effects: &probe.Effects{Settled: 3, Unit: 3}}},
			"3 effects, where one operation makes 3"},
		{"harvest, pass", probe.Result{Step: "duplicate", Verdict: probe.Pass, Evidence: probe.Evidence{
			Effects: &probe.Effects{Before: 1, After: 1, Settled: 1, Unit: 1, CountedBy: "http"}}}, "no effect but those promised, counted by http"},
		{"harvest, open", probe.Result{Step: "duplicate", Verdict: probe.Inconclusive, Reasons: reasons("why"), Evidence: probe.Evidence{
			Effects: &probe.Effects{Before: 1, After: 1, Settled: 1, Unit: 1, CountedBy: "http"}}}, "why; no further effect counted by http"},
		{"what is refused has none", probe.Result{Step: "binding", Verdict: probe.Pass, Evidence: probe.Evidence{
			Effects: &probe.Effects{Unit: 1, CountedBy: "sql"}}}, "no effect but those promised, counted by sql"},
		{"a pass with nothing to tell", probe.Result{Step: "missing-key", Verdict: probe.Pass, Evidence: probe.Evidence{Controls: held[:1]}},
			"requests without a key are answered as promised, and never with another one's result; control held: counter"},
		{"crash", probe.Result{Step: "crash", Verdict: probe.Pass, Cases: two, Evidence: probe.Evidence{Effects: &once}},
			"1 effect for each operation counted by http"},
		{"crash that met nothing", probe.Result{Step: "crash", Verdict: probe.Inconclusive, Cases: two, Reasons: reasons("no kill of 2 fell there"),
			Evidence: probe.Evidence{Effects: &once}}, "no kill of 2 fell there; 1 effect for each operation counted by http"},
		{"fail", probe.Result{Verdict: probe.Fail, Findings: []probe.Finding{{Slug: "duplicate/effect-ran-twice"}},
			Evidence: probe.Evidence{Effects: &probe.Effects{Before: 1, Settled: 3, Unit: 1, CountedBy: "sql"}, Controls: held[:1]}},
			explain.Title("duplicate/effect-ran-twice") + "; 2 effects counted by sql, where one operation makes 1; control held: counter"},
		{"fail without an effect", probe.Result{Verdict: probe.Fail, Findings: []probe.Finding{{Slug: "no/slug", Case: "a", Also: []string{"b", "c"}, Follows: "other/slug"}},
			Evidence: probe.Evidence{Effects: &probe.Effects{Unit: 1, CountedBy: "sql"}}},
			"no/slug (a and 2 more), which follows from other/slug; no effect counted by sql, where one operation makes 1"},
		{"what follows is counted", probe.Result{Verdict: probe.Fail, Findings: []probe.Finding{{Slug: "a/b", Follows: "x/y"}, {Slug: "c/d"}, {Slug: "e/f", Follows: "x/y"}, {Slug: "g/h"}}},
			"c/d; g/h; 2 more findings that follow"},
		{"nothing but what follows", probe.Result{Verdict: probe.Fail, Findings: []probe.Finding{{Slug: "a/b", Follows: "x/y"}, {Slug: "c/d", Follows: "x/z"}}},
			"a/b, which follows from x/y; 1 more finding"},
		{"expiry tells its counts in words", probe.Result{Step: "expiry", Verdict: probe.Pass, Evidence: probe.Evidence{Effects: &probe.Effects{Before: 1, Settled: 1, Unit: 1},
			Measures: []probe.Measure{{Name: probe.FurtherEffects, Text: "no further effect within 5s"}}}}, "no further effect within 5s"},
		{"lost control", probe.Result{Verdict: probe.Inconclusive, Reasons: reasons("why"), Evidence: probe.Evidence{
			Controls: []probe.Control{{Name: "environment"}, held[0], {Name: "environment"}}}},
			"why; control that did not hold: environment; control held: counter"},
		{"many reasons", probe.Result{Verdict: probe.Inconclusive, Reasons: reasons("one", "two", "three", "four", "five")}, "one; two; three; 2 more reasons"},
	} {
		if got := evidence(c.in, false); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
	whole := probe.Result{Verdict: probe.Pass, Evidence: probe.Evidence{Measures: []probe.Measure{{Name: "spread", Value: "1ms"}}, Controls: held[:1]}}
	if got := evidence(whole, true); got != "spread 1ms; control held: counter" {
		t.Errorf("whole: %s", got)
	}
}

// last gives the last lines of a report for people.
func last(t *testing.T, r probe.Report, n int) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(render(t, "human", r)), "\n"), "\n")
	return lines[len(lines)-n:]
}

// TestLastLinesNameWhatToLookAt: on a small terminal nothing else is left.
func TestLastLinesNameWhatToLookAt(t *testing.T) {
	for _, c := range []struct {
		name string
		r    probe.Report
		want []string
	}{
		{"pass", passing(), []string{""}},
		{"fail", failing(), []string{"", "fail: duplicate/effect-ran-twice (contract.yaml:31)", "fail: concurrent/effect-ran-twice (contract.yaml:31)",
			"fail: reorder/effect-ran-twice (contract.yaml:36), follows from duplicate/effect-ran-twice"}},
		{"open", unsettled(), []string{"", "inconclusive: concurrent: 11 of 11 cases: status 503, and so did other keys: the environment did it",
			"inconclusive: conflict: contract.yaml:30: promise.conflict is not stated; and more",
			"waived: crash (contract.yaml:60): until 2027-06-30: staging cannot be killed"}},
		{"alike", interrupted(), []string{"", "inconclusive: concurrent, conflict, reorder, crash, expiry: the run ended before this step"}},
	} {
		got := last(t, c.r, len(c.want)+1)
		if !slices.Equal(got[:len(c.want)], c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	two := failing()
	two.Operations = append(two.Operations, passing().Operations[0])
	two.Operations[1].Name = "refund"
	if got := last(t, two, 5)[0]; got != "fail: duplicate/effect-ran-twice in create-charge (contract.yaml:31)" {
		t.Errorf("of two operations: %q", got)
	}
}

// TestReasonsThatStepsShareAreToldOnce, and those that only look so are not.
func TestReasonsThatStepsShareAreToldOnce(t *testing.T) {
	r := passing()
	down := probe.Reason{Text: "no connection to http://127.0.0.1:1: connection refused", Settle: "start the API"}
	for i := range r.Operations[0].Steps {
		r.Operations[0].Steps[i] = probe.Result{Step: steps[i], Verdict: probe.Inconclusive, Reasons: []probe.Reason{down}}
	}
	r.Operations[0].Steps[3].Reasons = []probe.Reason{{Text: "promise.reorder is not stated"}}
	out := string(render(t, "human", r))
	for text, times := range map[string]int{down.Text: 2, "connection refused": 3, "as for duplicate": 4, "start the API": 1, "promise.reorder is not stated": 3,
		"INCONCLUSIVE duplicate, concurrent, conflict, crash, expiry in create-charge": 1, "idem explain reorder": 1, "idem explain duplicate": 0} {
		if got := strings.Count(out, text); got != times {
			t.Errorf("%q %d times, want %d\n%s", text, got, times, out)
		}
	}
}

// TestEveryReasonIsThereUnderVerbose: nothing is lost that a person may ask for.
func TestEveryReasonIsThereUnderVerbose(t *testing.T) {
	r := unsettled()
	r.Operations[0].Steps[2].Reasons = append(r.Operations[0].Steps[2].Reasons, reasons("third", "fourth", "fifth")...)
	for _, verbose := range []bool{false, true} {
		o := goldenOptions
		o.Verbose = verbose
		var b strings.Builder
		if err := Write(&b, "human", r, o); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "fifth") != verbose || strings.Contains(b.String(), "2 more reasons under --verbose") == verbose {
			t.Errorf("verbose %v:\n%s", verbose, b.String())
		}
	}
	if !strings.Contains(string(render(t, "json", r)), "fifth") {
		t.Error("JSON lacks a reason")
	}
}

// TestTimelineSaysWhoSentWhere: of two requests with one key and one body, one
// of them another caller's, that is the finding.
func TestTimelineSaysWhoSentWhere(t *testing.T) {
	q := request("r", keyOne, bodyOne, "")
	xs := []probe.Exchange{exchange("x", 1, q, 201, "ok"), exchange("x", 30, q, 201, "ok"), exchange("x", 60, q, 0, "")}
	rows := func() string {
		var b strings.Builder
		for _, line := range timelineOf(probe.Finding{Exchanges: xs}).lines {
			b.WriteString(line.text + "\n")
		}
		return b.String()
	}
	if plain := rows(); strings.Contains(plain, "caller") || strings.Contains(plain, "replica") {
		t.Errorf("one caller and one place:\n%s", plain)
	}
	xs[1].Sent.Other = true
	xs[2].Sent.Target, xs[2].Answer.Outcome, xs[2].Answer.FirstByte = "1", trace.HungUp, 0
	want := []string{"key A, body A, to replica 1 [x]", "key A, body A, to replica 1, as the other caller [x]",
		"key A, body A, to replica 2 [x]", "the caller hung up on purpose, before any answer [x]"}
	for _, w := range want {
		if !strings.Contains(rows(), w+"\n") {
			t.Errorf("no %q in\n%s", w, rows())
		}
	}
}

// TestStepsLeftOutAreOneLine, so that what was asked for is seen; what else is
// skipped keeps its line.
func TestStepsLeftOutAreOneLine(t *testing.T) {
	r := passing()
	for i, how := range []string{"left out by --only", "", "left out by --only", "left out by --skip", "declared as not promised"} {
		if how != "" {
			r.Operations[0].Steps[i] = probe.Result{Step: steps[i], Verdict: probe.Skipped, Reasons: reasons(how)}
		}
	}
	out := string(render(t, "human", r))
	for _, want := range []string{"\n  skipped, left out by --only: duplicate, conflict\n", "\n  skipped, left out by --skip: reorder\n",
		"\n  crash       skipped  declared as not promised\n", "\n  concurrent  pass "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "\n  duplicate ") {
		t.Errorf("a line for a step that nobody asked for:\n%s", out)
	}
}
