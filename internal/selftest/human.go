package selftest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/idem-toolkit/idem/internal/probe"
)

// Options are how the matrix is to look. Width is where text is broken; 0: not
// given. Verbose tells of each fault by which evidence it was caught.
type Options struct {
	Color   bool
	Width   int
	Verbose bool
}

// defaultWidth is where text is broken unless a width is given.
const defaultWidth = 120

type page struct {
	b *bytes.Buffer
	o Options
	r Report
}

// WriteHuman writes the report for people.
func WriteHuman(b *bytes.Buffer, r Report, o Options) {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	p := page{b, o, r}
	over := ""
	if r.HTTP != "" {
		over = ", --http " + r.HTTP
	}
	p.line("self-test of %s, seed %d, %d at a time%s", r.Tool, r.Seed, r.Jobs, over)
	if r.Interrupted {
		p.line("interrupted: what was checked until then is shown")
	}
	for _, m := range r.Matrices {
		p.line("")
		p.matrix(m)
	}
	p.line("")
	p.legend()
	p.line("%s", p.end())
}

func (p page) line(format string, args ...any) {
	fmt.Fprintf(p.b, "%s\n", strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (p page) paint(text string, how ...color.Attribute) string {
	if !p.o.Color {
		return text
	}
	c := color.New(how...)
	c.EnableColor()
	return c.Sprint(text)
}

func (p page) matrix(m Matrix) {
	p.line("%s, %s", p.paint("store "+m.Store, color.Bold), took(m.Took))
	width := len("reference")
	for _, row := range m.Rows {
		width = max(width, utf8.RuneCountInString(row.Name))
	}
	for _, faults := range []bool{true, false} {
		var rows []Row
		for _, row := range m.Rows {
			if row.Fault == faults {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			continue
		}
		p.head(faults, width)
		for _, row := range rows {
			p.row(row, width)
		}
	}
	for _, l := range m.LeftOut {
		p.prose("  left out: ", l.Name+": "+l.Why)
	}
	p.evidence(m)
	p.unknowns(m)
	p.races(m)
	p.again(m)
	p.wrong(m)
	p.totals(m)
}

// columnWidth is that of a step: its short name and a blank.
const columnWidth = 4

func (p page) head(faults bool, width int) {
	what, last := "style", ""
	if faults {
		what, last = "fault", "caught by"
	}
	heads := ""
	for _, s := range p.r.Steps {
		heads += fmt.Sprintf("%-*s", columnWidth, Short(s))
	}
	p.line("  %-*s  %s   time  %s", width, what, heads, last)
}

// Short is a step's name over its column, of three letters.
func Short(step string) string {
	switch step { // where the first three would be another step's, or say little
	case "conflict":
		return "cnf"
	case "reorder":
		return "ord"
	case "missing-key":
		return "key"
	case "key-rules":
		return "rul"
	}
	return step[:min(3, len(step))]
}

func (p page) row(row Row, width int) {
	cells := ""
	for _, step := range p.r.Steps {
		mark, how := row.mark(step)
		cells += p.paint(mark, how...) + strings.Repeat(" ", columnWidth-len(mark))
	}
	text := ""
	switch wrong := row.Wrong(); {
	case len(wrong) > 0:
		text = p.paint("WRONG, see below", color.FgRed, color.Bold)
	case row.Fault:
		text = row.slugs()
	}
	if len(row.Runs) > 1 {
		text += fmt.Sprintf(" (%d of %d runs)", row.Caught(), len(row.Runs))
	}
	p.line("  %-*s  %s %7s  %s", width, row.Name, cells, took(row.time()), text)
}

// slugs gives what caught the fault, the first of each step.
func (r Row) slugs() string {
	var out []string
	for _, run := range r.Runs {
		steps := map[string]bool{}
		for _, c := range r.CaughtBy(run) {
			if !steps[c.Step] && !slices.Contains(out, c.Slug) {
				out = append(out, c.Slug)
			}
			steps[c.Step] = true
		}
	}
	return strings.Join(out, ", ")
}

// time is the mean of a row's runs.
func (r Row) time() time.Duration {
	if len(r.Runs) == 0 {
		return 0
	}
	var all time.Duration
	for _, run := range r.Runs {
		all += run.Took
	}
	return all / time.Duration(len(r.Runs))
}

// mark is a step's letter in a row: of the gravest run.
func (r Row) mark(step string) (string, []color.Attribute) {
	mark, how := "-", []color.Attribute{color.Faint}
	rank := 0
	for _, run := range r.Runs {
		if run.Error != "" {
			return "!", []color.Attribute{color.FgRed, color.Bold}
		}
		for _, s := range run.Steps {
			if s.Step != step {
				continue
			}
			if n, m, h := r.letter(s); n > rank {
				rank, mark, how = n, m, h
			}
		}
	}
	return mark, how
}

// letter is one verdict's, with its rank.
func (r Row) letter(s probe.Result) (int, string, []color.Attribute) {
	_, excused := r.Unknowable[s.Step]
	switch {
	case s.Verdict == probe.Fail && !r.Fault:
		return 5, "X", []color.Attribute{color.FgRed, color.Bold}
	case s.Verdict == probe.Fail && len(r.CaughtBy(Run{Steps: []probe.Result{s}})) > 0:
		return 5, "X", []color.Attribute{color.FgGreen, color.Bold}
	case s.Verdict == probe.Fail:
		return 4, "x", []color.Attribute{color.FgGreen}
	case s.Verdict == probe.Inconclusive && excused:
		return 2, "u", []color.Attribute{color.Faint}
	case s.Verdict == probe.Inconclusive:
		return 3, "?", []color.Attribute{color.FgYellow}
	case s.Verdict == probe.Pass:
		return 1, ".", nil
	}
	return 1, "s", []color.Attribute{color.Faint}
}

func (p page) legend() {
	var steps []string
	for _, s := range p.r.Steps {
		steps = append(steps, Short(s)+" "+s)
	}
	p.prose("columns: ", strings.Join(steps, ", "))
	p.prose("marks:   ", ". pass, X fails (by what a fault is named for), x fails too, ? inconclusive, "+
		"u inconclusive as no verifier could tell, s not promised, - not in its contract, ! no verdict")
}
