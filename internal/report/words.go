package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
)

// verdicts are the countable verdicts in the order of the report's summary
// (contract-v1, Verdicts).
var verdicts = []probe.Verdict{probe.Pass, probe.Fail, probe.Inconclusive, probe.Skipped, probe.Waived}

// exitMeaning says what an exit code means. Precedence: 130, 2, 1, 4, 3, 0.
func exitMeaning(code int) string {
	switch code {
	case 0:
		return "every promise that was checked holds"
	case 1:
		return "a promise is broken"
	case 2:
		return "the command or the contract is wrong"
	case 3:
		return "something is inconclusive, or nothing ran"
	case 4:
		return "nothing could be sent"
	case 130:
		return "the run was interrupted; what was recorded until then is judged"
	}
	return "unknown"
}

// summary is the last line of a report for people.
func summary(r probe.Report) string {
	parts := make([]string, 0, len(verdicts))
	for _, v := range verdicts {
		if n := r.Counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if n := r.Counts[probe.NotRun]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d not run", n))
	}
	if len(parts) == 0 {
		parts = []string{"no steps"}
	}
	return fmt.Sprintf("%s: %s; exit %d, %s", r.Verdict, strings.Join(parts, ", "), r.Exit, exitMeaning(r.Exit))
}

// evidence tells in one line what a step's verdict rests on: why it was not
// judged, the effects counted, the measures, the controls.
func evidence(r probe.Result) string {
	var parts []string
	if r.Verdict != probe.Pass && r.Verdict != probe.Fail {
		for _, reason := range r.Reasons {
			parts = append(parts, clean(reason.Text))
		}
	}
	if e := r.Evidence.Effects; e != nil {
		parts = append(parts, effects(*e))
	}
	for _, m := range r.Evidence.Measures {
		parts = append(parts, clean(m.Name)+" "+clean(m.Value))
	}
	parts = append(parts, controls(r.Evidence.Controls)...)
	if n := len(r.Cases); n > 0 {
		parts = append(parts, caseCounts(r.Cases))
	}
	for _, note := range r.Notes {
		parts = append(parts, clean(note))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}

// effects says how many effects were counted and how many one operation makes.
func effects(e probe.Effects) string {
	s := plural(e.Settled-e.Before, "effect")
	if e.Before != 0 {
		s += fmt.Sprintf(" (from %d to %d)", e.Before, e.Settled)
	}
	if e.CountedBy != "" {
		s += " counted by " + clean(e.CountedBy)
	}
	if e.Unit != 0 {
		s += fmt.Sprintf(", one operation makes %d", e.Unit)
	}
	return s
}

// controls names those that held together and each that did not with its text.
func controls(all []probe.Control) []string {
	var held, parts []string
	for _, c := range all {
		if c.Held {
			if !slices.Contains(held, clean(c.Name)) {
				held = append(held, clean(c.Name))
			}
			continue
		}
		s := clean(c.Name) + " control did not hold"
		if c.Text != "" {
			s += ": " + clean(c.Text)
		}
		parts = append(parts, s)
	}
	if len(held) > 0 {
		parts = append(parts, "controls held: "+strings.Join(held, ", "))
	}
	return parts
}

func caseCounts(cases []probe.Case) string {
	counts := map[probe.Verdict]int{}
	for _, c := range cases {
		counts[c.Verdict]++
	}
	var parts []string
	for _, v := range append(verdicts[:len(verdicts):len(verdicts)], probe.NotRun) {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	return plural(len(cases), "case") + " (" + strings.Join(parts, ", ") + ")"
}

// place names a line of the contract: "contract.yaml:31", "" for no line.
func place(file string, line int) string {
	if line <= 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", clean(file), line)
}

// digest is the beginning of a SHA-256 for people.
func digest(sha string) string {
	if len(sha) > 12 {
		return clean(sha[:12]) + "..."
	}
	return clean(sha)
}
