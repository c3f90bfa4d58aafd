package selftest

import (
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// step is a result with so many of what a verdict needs.
func step(name string, verdict probe.Verdict, slugs ...string) probe.Result {
	r := probe.Result{Step: name, Verdict: verdict}
	for _, slug := range slugs {
		r.Findings = append(r.Findings, probe.Finding{Slug: slug, Expected: "1 effect", Actual: "2 effects"})
	}
	if strings.HasSuffix(strings.Join(slugs, " "), "effect-ran-twice") {
		r.Evidence.Effects = &probe.Effects{Before: 0, After: 1, Settled: 2, Unit: 1, CountedBy: "http"}
		r.Findings[0].Case = "the retry"
	}
	if verdict == probe.Inconclusive {
		r.Reasons = []probe.Reason{{Text: "the environment answered 503 to everybody", Line: 12}}
	}
	return r
}

func raced(r probe.Result, pairs, crowds probe.Rounds) probe.Result {
	pairs.Copies, crowds.Copies = 2, 30
	r.Evidence.Rounds = []probe.Rounds{pairs, crowds}
	return r
}

func run(took float64, steps ...probe.Result) Run {
	return Run{Steps: steps, Took: time.Duration(took * float64(time.Second))}
}

// follows marks a finding as one that comes from another.
func follows(r probe.Result, slug string) probe.Result {
	for i := range r.Findings {
		r.Findings[i].Follows = slug
	}
	return r
}

var (
	races  = []string{"concurrent"}
	all    = probe.Rounds{Made: 10, Overlapped: 10, Broken: 10}
	none   = probe.Rounds{Made: 10, Overlapped: 9}
	crowd  = probe.Rounds{Made: 1, Overlapped: 1, Broken: 1}
	alone  = probe.Rounds{Made: 1, Overlapped: 1}
	passes = func() []probe.Result {
		return []probe.Result{step("duplicate", probe.Pass), raced(step("concurrent", probe.Pass), none, alone),
			step("conflict", probe.Pass), step("store-down", probe.Pass)}
	}
)

// sound is a self-test in which all is as it must be.
func sound() Report {
	return Report{Tool: "idem test", Seed: 1, Jobs: 4, Steps: []string{"duplicate", "concurrent", "conflict", "store-down"},
		Matrices: []Matrix{{
			Store: "memory", Took: 83 * time.Second,
			Rows: []Row{
				{Subject{Name: "never-looks-up", What: "a key is never looked up", Fault: true, Named: []string{"duplicate", "concurrent"}},
					[]Run{run(13.04, step("duplicate", probe.Fail, "duplicate/effect-ran-twice"),
						raced(step("concurrent", probe.Fail, "concurrent/effect-ran-twice"), all, crowd),
						follows(step("conflict", probe.Fail, "conflict/first-result-returned"), "duplicate/effect-ran-twice"),
						step("store-down", probe.Inconclusive))}},
				{Subject{Name: "check-then-act", What: "two steps where one is needed", Fault: true, Named: races},
					[]Run{run(12.5, step("duplicate", probe.Pass), raced(step("concurrent", probe.Fail, "concurrent/effect-ran-twice"), all, crowd)),
						run(12.7, step("duplicate", probe.Pass), raced(step("concurrent", probe.Fail, "concurrent/effect-ran-twice"), all, crowd))}},
				{Subject{Name: "runs-in-a-crowd", What: "a crowd is too much", Fault: true, Named: races},
					[]Run{run(9, step("duplicate", probe.Pass), raced(step("concurrent", probe.Fail, "concurrent/effect-ran-twice"), none, crowd))}},
				{Subject{Name: "reference", What: "as it is"}, []Run{run(12.2, passes()...)}},
				{Subject{Name: "same-409", What: "one answer for two", Unknowable: map[string]string{"store-down": "nothing tells the two apart"}},
					[]Run{run(10, step("duplicate", probe.Skipped), step("concurrent", probe.Pass), step("conflict", probe.Pass),
						step("store-down", probe.Inconclusive))}},
			},
			LeftOut: []LeftOut{{"keys-in-memory", "a restart empties a store in memory"}},
		}}}
}

// unsound is one in which everything is wrong that can be.
func unsound() Report {
	r := sound()
	r.Matrices[0].Store = "file"
	r.Matrices[0].LeftOut = nil
	fault := func(name string, runs ...Run) Row {
		return Row{Subject{Name: name, What: "it is broken", Fault: true, Named: []string{"conflict"}}, runs}
	}
	style := func(name string, runs ...Run) Row { return Row{Subject{Name: name, What: "it is right"}, runs} }
	r.Matrices[0].Rows = []Row{
		fault("passes", run(12, passes()...)),
		fault("elsewhere", run(12, step("duplicate", probe.Fail, "duplicate/refused"), step("conflict", probe.Pass))),
		fault("follows-only", run(12, step("duplicate", probe.Fail, "duplicate/refused"),
			follows(step("conflict", probe.Fail, "conflict/wrong-answer"), "duplicate/refused"))),
		fault("unsettled", run(12, step("duplicate", probe.Pass), step("conflict", probe.Inconclusive))),
		fault("not-run", run(12, step("duplicate", probe.Pass))),
		fault("now-and-then", run(12, step("conflict", probe.Fail, "conflict/wrong-answer")), run(12, step("conflict", probe.Pass))),
		fault("broken", Run{Error: "the service ended (exit 2) before it was ready", Took: time.Second}),
		fault("unchecked"),
		style("accused", run(12, step("duplicate", probe.Fail, "duplicate/effect-ran-twice"), step("conflict", probe.Pass))),
		style("left-open", run(12, step("duplicate", probe.Inconclusive), step("conflict", probe.Pass))),
	}
	return r
}
