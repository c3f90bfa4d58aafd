package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/explain"
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
		return "the trace could not be written to its end; what was recorded until then is judged"
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

// evidence tells in one line what a step's verdict rests on: first why it is
// no pass, then what was measured and counted, last the controls. Whole gives
// the measures too that are numbers only.
func evidence(r probe.Result, whole bool) string {
	parts := broken(r.Findings)
	if r.Verdict != probe.Pass && r.Verdict != probe.Fail {
		parts = append(parts, reasonTexts(r)...)
	}
	for _, m := range r.Evidence.Measures {
		if m.Text != "" {
			parts = append(parts, clean(m.Text))
		}
	}
	parts = append(parts, effects(r)...)
	if text := caseCounts(r); text != "" {
		parts = append(parts, text)
	}
	if r.Verdict == probe.Pass && len(parts) == 0 {
		parts = append(parts, asked(r.Step)...)
	}
	for _, m := range r.Evidence.Measures {
		if whole && m.Text == "" {
			parts = append(parts, clean(m.Name)+" "+clean(m.Value))
		}
	}
	for _, note := range r.Notes {
		parts = append(parts, clean(note))
	}
	parts = append(parts, controls(r.Evidence.Controls)...)
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}

// asked is what a step asks, which a pass that has nothing else to tell says
// yes to.
func asked(step string) []string {
	for _, s := range probe.Steps() {
		if s.Name == step {
			return []string{s.What}
		}
	}
	return nil
}

// broken says what was found, in the words of idem explain. What follows from
// something else is told where there is nothing else to tell.
func broken(findings []probe.Finding) []string {
	var own, following []string
	for _, f := range findings {
		s := clean(cmp.Or(explain.Title(f.Slug), f.Slug))
		if f.Case != "" {
			s += " (" + clean(f.Case)
			if len(f.Also) > 0 {
				s += fmt.Sprintf(" and %d more", len(f.Also))
			}
			s += ")"
		}
		if f.Follows == "" {
			own = append(own, s)
		} else {
			following = append(following, s+", which follows from "+clean(f.Follows))
		}
	}
	switch {
	case len(own) == 0 && len(following) > 1:
		return []string{following[0], plural(len(following)-1, "more finding")}
	case len(own) == 0:
		return following
	case len(following) > 0:
		own = append(own, plural(len(following), "more finding")+" that "+verb(len(following), "follows", "follow"))
	}
	return own
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// reasonsMost is how many reasons a person is shown at once.
const reasonsMost = 3

// reasonTexts gives a step's reasons, equal ones folded, the first of many.
func reasonTexts(r probe.Result) []string {
	var texts []string
	for i, reason := range folded(r.Reasons, len(r.Cases)) {
		if i == reasonsMost {
			return append(texts, fmt.Sprintf("%d more reasons", len(folded(r.Reasons, len(r.Cases)))-i))
		}
		texts = append(texts, clean(reason.Text))
	}
	return texts
}

// folded makes one of reasons that differ only in the case that they begin
// with: "kill-1: ...", "kill-2: ..." become "2 of 5 cases: ...".
func folded(reasons []probe.Reason, cases int) []probe.Reason {
	var kinds []probe.Reason // what is left of the text without its case
	times := map[probe.Reason]int{}
	first := map[probe.Reason]probe.Reason{}
	for _, r := range reasons {
		kind := r
		if _, rest, found := strings.Cut(r.Text, ": "); found {
			kind.Text = withoutAnswer(rest)
		}
		if times[kind] == 0 {
			kinds = append(kinds, kind)
			first[kind] = r
		}
		times[kind]++
	}
	out := make([]probe.Reason, 0, len(kinds))
	for _, kind := range kinds {
		n := times[kind]
		switch {
		case n == 1:
			kind = first[kind]
		default:
			_, text, _ := strings.Cut(first[kind].Text, ": ")
			kind.Text = fmt.Sprintf("%d of %d cases: %s", n, max(n, cases), text)
		}
		out = append(out, kind)
	}
	return out
}

// withoutAnswer takes an answer's body off a reason: refusals that differ in a
// number or a time are one.
func withoutAnswer(text string) string {
	const status = "status 000: "
	for at := range text {
		if at+len(status) <= len(text) && text[at:at+7] == status[:7] && text[at+10:at+12] == ": " {
			return text[:at+10]
		}
	}
	return text
}

// effects says how many effects were counted, and of how many operations or
// against what one operation makes. Expiry tells its own in words: there one
// more may be right. Where a step passes, other numbers than one operation's
// are as they should be: a retry has no effect beside the first's, and what is
// refused has none.
func effects(r probe.Result) []string {
	e := r.Evidence.Effects
	if e == nil || slices.ContainsFunc(r.Evidence.Measures, func(m probe.Measure) bool { return m.Name == probe.FurtherEffects }) {
		return nil
	}
	made := e.Settled - e.Before
	s := plural(made, "effect")
	switch {
	case r.Verdict == probe.Pass && made != e.Unit:
		return []string{"no effect but those promised" + prefixed(", counted by ", clean(e.CountedBy))}
	case made == 0 && e.Before > 0:
		s = "no further effect"
	case made == 0:
		s = "no effect"
	case made == e.Unit && r.Step == "crash":
		s += " for each operation"
	case made == e.Unit && len(r.Cases) > 1 && casesOf(r, probe.Pass) == len(r.Cases):
		s += fmt.Sprintf(" in each of %d cases", len(r.Cases))
	}
	if e.CountedBy != "" {
		s += " counted by " + clean(e.CountedBy)
	}
	if made != e.Unit && !(made == 0 && e.Before > 0) || e.Unit != 1 {
		s += fmt.Sprintf(", where one operation makes %d", e.Unit)
	}
	return []string{s}
}

// controls names those that did not hold, then those that did.
func controls(all []probe.Control) []string {
	names := func(held bool) (list []string) {
		for _, c := range all {
			if c.Held == held && !slices.Contains(list, clean(c.Name)) {
				list = append(list, clean(c.Name))
			}
		}
		return list
	}
	var parts []string
	if lost := names(false); len(lost) > 0 {
		parts = append(parts, plainly(len(lost), "control")+" that did not hold: "+strings.Join(lost, ", "))
	}
	if held := names(true); len(held) > 0 {
		parts = append(parts, plainly(len(held), "control")+" held: "+strings.Join(held, ", "))
	}
	return parts
}

// caseCounts says in how many cases what is told beside it was so; nothing
// where reasons tell it already, and where there is one case only.
func caseCounts(r probe.Result) string {
	var parts []string
	for _, v := range []probe.Verdict{probe.Fail, probe.Inconclusive} {
		n := casesOf(r, v)
		if v == probe.Inconclusive && len(folded(r.Reasons, len(r.Cases))) < len(r.Reasons) {
			n = 0
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d of %d cases", v, n, len(r.Cases)))
		}
	}
	if len(r.Cases) == 1 {
		return ""
	}
	return strings.Join(parts, ", ")
}

func casesOf(r probe.Result, v probe.Verdict) int {
	n := 0
	for _, c := range r.Cases {
		if c.Verdict == v {
			n++
		}
	}
	return n
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
