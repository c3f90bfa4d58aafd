package selftest

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/idem-toolkit/idem/internal/problem"
)

// races shows how often races were seen, and how rarely a check misses them.
func (p page) races(m Matrix) {
	races := m.Races()
	width := len("race")
	var sizes []int
	for _, x := range races {
		width = max(width, utf8.RuneCountInString(x.Name))
		for _, r := range x.Rounds {
			if !slices.Contains(sizes, r.Copies) {
				sizes = append(sizes, r.Copies)
			}
		}
	}
	slices.Sort(sizes)
	if len(races) > 0 {
		line := fmt.Sprintf("  %-*s  %-10s", width, "race", "checks")
		for _, n := range sizes {
			line += fmt.Sprintf("  %-20s", fmt.Sprintf("rounds of %d", n))
		}
		p.line("%s  one check misses it (95 %%)", line)
	}
	for _, x := range races {
		line := fmt.Sprintf("  %-*s  %-10s", width, x.Name, fmt.Sprintf("%d of %d", x.Runs.N, x.Runs.Of))
		for _, n := range sizes {
			line += fmt.Sprintf("  %-20s", x.rounds(n))
		}
		p.line("%s  %s", line, missing(x.Misses))
	}
	if right := m.RightRounds(); right.Of > 0 {
		p.prose("  ", fmt.Sprintf("races on right servers: %d of %d overlapped rounds accused one, so a round does with %s at most (95 %%)",
			right.N, right.Of, percent(right.High)))
	}
}

// rounds tells how many of the overlapped rounds with so many copies showed
// the fault.
func (x Race) rounds(copies int) string {
	for _, r := range x.Rounds {
		if r.Copies == copies && r.Showed.Of > 0 {
			return fmt.Sprintf("%d of %d (%s)", r.Showed.N, r.Showed.Of, between(r.Showed))
		}
	}
	return "none overlapped"
}

func between(r Rate) string {
	return strings.TrimSuffix(percent(r.Low), " %") + "-" + percent(r.High)
}

func percent(x float64) string {
	if p := 100 * x; p > 0 && p < 1 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// missing tells how rarely a check misses something.
func missing(x float64) string {
	switch {
	case x < 1e-6:
		return "less than 1 of a million"
	case x < 0.01:
		n := int(1 / x) // two digits tell enough
		for scale := 10; ; scale *= 10 {
			if n < scale*10 {
				return fmt.Sprintf("at most 1 of %d", n/(scale/10)*(scale/10))
			}
		}
	}
	return "at most " + percent(x)
}

// evidence tells what the findings stand on that caught a fault, each once: as
// in the matrix the first of each step.
func (p page) evidence(m Matrix) {
	if !p.o.Verbose {
		return
	}
	for _, row := range m.Rows {
		told := map[string]bool{}
		for _, run := range row.Runs {
			for _, c := range row.CaughtBy(run) {
				if !told[c.Step] {
					told[c.Step] = true
					p.prose("  evidence: ", row.Name+", "+c.text())
				}
			}
		}
	}
}

func (c Catch) text() string {
	text := c.Slug
	if c.Case != "" {
		text += " (" + c.Case + ")"
	}
	text += ": expected " + c.Expected + "; actual " + c.Actual
	if e := c.Effects; e != nil {
		text += fmt.Sprintf("; counted by %s: %d before, %d after, %d settled, %d for one operation", e.CountedBy, e.Before, e.After, e.Settled, e.Unit)
	}
	return text
}

func (p page) unknowns(m Matrix) {
	var order []Unknown
	names := map[Unknown][]string{}
	for _, u := range m.Unknowns() {
		same := Unknown{Step: u.Step, Why: u.Why, Said: u.Said}
		if names[same] == nil {
			order = append(order, same)
		}
		names[same] = append(names[same], u.Name)
	}
	for _, u := range order {
		p.prose("  unknowable: ", u.Step+" of "+some(names[u])+": "+u.Why+" (the check says: "+u.Said+")")
	}
}

// some names a few of a list, and says how many more there are.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// again tells which checks were made twice, and what the first left open.
func (p page) again(m Matrix) {
	for _, row := range m.Rows {
		for _, run := range row.Runs {
			if run.Again != "" {
				p.prose("  checked again: ", row.kind()+" "+row.Name+", alone, since beside others it was open: "+run.Again)
			}
		}
	}
}

func (p page) wrong(m Matrix) {
	for _, row := range m.Rows {
		for _, why := range row.Wrong() {
			p.prose("  "+p.paint("wrong", color.FgRed, color.Bold)+": ", row.kind()+" "+row.Name+": "+why)
		}
	}
}

func (p page) totals(m Matrix) {
	t := m.Totals()
	if t.Faults > 0 {
		p.prose("  ", fmt.Sprintf("faults: %d of %d caught by a step that is named for them", t.Caught, t.Faults))
	}
	if t.Styles > 0 {
		p.prose("  ", fmt.Sprintf("right servers: %d of %d accused; of their steps %d passed, %d were inconclusive, %d were unknowable",
			t.Accused, t.Styles, t.Passed, t.Unsettled, t.Excused))
	}
	if t.Unchecked > 0 {
		p.prose("  ", fmt.Sprintf("without a verdict: %d", t.Unchecked))
	}
}

// end is the last line.
func (p page) end() string {
	switch p.r.Exit() {
	case exitSound:
		return "exit 0, the check catches what it must and accuses nobody"
	case exitInterrupted:
		return "exit 130, the self-test was interrupted"
	case exitNoVerdict:
		return "exit 3, checks gave no verdict, and nothing else is wrong"
	}
	return "exit 1, the check is not what it must be"
}

// prose writes text after a label, broken at the width, indented under it.
func (p page) prose(label, text string) {
	const indent = 4
	line := label
	width := utf8.RuneCountInString(label)
	for i, word := range strings.Fields(problem.Line(text)) {
		n := utf8.RuneCountInString(word)
		if i > 0 && width+1+n > p.o.Width {
			p.line("%s", line)
			line, width = strings.Repeat(" ", indent), indent
		} else if i > 0 {
			line, width = line+" ", width+1
		}
		line, width = line+word, width+n
	}
	p.line("%s", line)
}

func took(d time.Duration) string {
	if d >= time.Minute {
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}
