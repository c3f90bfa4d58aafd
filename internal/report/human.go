package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
)

// human writes for a person who has never seen the tool.
type human struct {
	b *bytes.Buffer
	o Options
	r probe.Report
}

func writeHuman(b *bytes.Buffer, r probe.Report, o Options) error {
	h := human{b, o, r}
	h.header()
	for _, op := range r.Operations {
		h.table(op)
	}
	for _, op := range r.Operations {
		for _, group := range grouped(op.Steps) {
			h.details(op.Name, group)
		}
	}
	h.summary()
	return nil
}

// defaultWidth is where lines are broken unless a terminal's width is given.
const defaultWidth = 100

func (h human) width() int { return cmp.Or(h.o.Width, defaultWidth) }

func (h human) line(format string, args ...any) { fmt.Fprintf(h.b, format+"\n", args...) }

// paint colours text as its verdict is coloured.
func (h human) paint(v probe.Verdict, text string) string {
	switch v {
	case probe.Pass:
		return h.colour(text, color.FgGreen)
	case probe.Fail:
		return h.colour(text, color.FgRed, color.Bold)
	case probe.Inconclusive:
		return h.colour(text, color.FgYellow)
	}
	return h.colour(text, color.Faint)
}

func (h human) colour(text string, how ...color.Attribute) string {
	if !h.o.Color {
		return text
	}
	c := color.New(how...)
	c.EnableColor()
	return c.Sprint(text)
}

func (h human) header() {
	h.prose("", fmt.Sprintf("%s, %s run %s, seed %d%s", clean(h.r.Tool), clean(h.r.Mode), clean(h.r.Run), h.r.Seed, prefixed(", ", clean(h.r.Began))))
	h.prose("", fmt.Sprintf("contract %s%s", clean(h.r.File), prefixed(", sha256 ", digest(h.r.SHA256))))
	if h.r.Interrupted {
		h.line("interrupted: what was recorded until then is judged")
	}
	if h.r.RequireEffects {
		h.line("effects required: a pass by answers alone is inconclusive")
	}
	for _, note := range h.r.Notes {
		h.prose("note: ", clean(note))
	}
	h.line("")
}

// prefixed gives prefix and text, nothing where text is empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// details shows what a person has to act on: findings, what would settle
// inconclusive steps, and with --verbose cases and controls. Steps are one, or
// several that are alike.
func (h human) details(operation string, steps []probe.Result) {
	s := steps[0]
	for _, f := range s.Findings {
		if f.Follows != "" {
			h.following(operation, f)
			continue
		}
		h.finding(operation, s, f)
	}
	switch s.Verdict {
	case probe.Pass, probe.Skipped, probe.NotRun:
	case probe.Fail:
		if len(s.Reasons) > 0 {
			h.unsettled(operation, steps, "NOT SETTLED BESIDE THAT:")
		}
	default:
		h.unsettled(operation, steps, strings.ToUpper(string(s.Verdict)))
	}
	if h.o.Verbose {
		for _, s := range steps {
			h.everything(operation, s)
			h.releases(operation, s)
		}
	}
}

func (h human) finding(operation string, s probe.Result, f probe.Finding) {
	h.headed(probe.Fail, "FAIL ", clean(f.Slug)+" in "+clean(operation))
	h.prose("  ", explain.Title(f.Slug))
	h.labelled("promised", strings.Join(cleanLines(f.Requirement), "\n"))
	h.at(f)
	h.labelled("case", clean(f.Case))
	h.labelled("also in", h.also(f.Also))
	h.labelled("expected", clean(f.Expected))
	h.labelled("actual", clean(f.Actual))
	if len(f.Counts) == 0 {
		h.labelled("counted", strings.Join(effects(s), ""))
	}
	h.timeline(f)
	h.again(sourceOf(h.r, h.o, operation, s.Step), f)
	h.line("  what it means and how to fix it:")
	h.line("    idem explain %s", clean(f.Slug))
	h.line("")
}

// also lists the cases that show the same, the first of many.
func (h human) also(cases []string) string {
	const most = 3
	if h.o.Verbose {
		cases = likes(cases, func(name string) string { return name })
	}
	if len(cases) <= most+1 || h.o.Verbose {
		return clean(strings.Join(cases, "; "))
	}
	return clean(strings.Join(cases[:most], "; ")) + fmt.Sprintf("; and %d more", len(cases)-most)
}

// again says how to see a finding again. A long script stands under --verbose
// only: it would push everything else off a terminal. It is not indented, so
// that it can be copied as it is.
func (h human) again(s Source, f probe.Finding) {
	h.line("  see it again:")
	repro := cleanLines(shortRepro(s, f))
	switch {
	case len(repro) <= scriptLines:
		for _, line := range repro {
			h.command(line)
		}
	case h.o.Verbose || h.o.scripts:
		for _, line := range repro {
			h.line("%s", strings.TrimRight(line, " "))
		}
	default:
		h.line("    %s", verifyCommand(s))
		kept := ", or of a kept trace:"
		if h.o.Trace != "" {
			kept = ", or:"
		}
		h.prose("    ", "or with curl: a script of "+plural(len(f.Exchanges), "request")+" under --verbose"+kept)
		h.line("    idem report %s --script %s", shWord(fileArgument(clean(cmp.Or(h.o.Trace, "TRACE")))), shWord(clean(f.Slug)))
	}
}

// command writes a line of a reproduction, to be copied as it is; a comment may
// be wrapped.
func (h human) command(line string) {
	text, comment := strings.CutPrefix(line, "# ")
	if !comment {
		h.line("%s", strings.TrimRight("    "+line, " "))
		return
	}
	for _, part := range fold(text, h.width()-len("    # ")) {
		h.line("    # %s", part)
	}
}

// following shows a finding that comes from another one shortly.
func (h human) following(operation string, f probe.Finding) {
	h.headed(probe.Fail, "FAIL ", clean(f.Slug)+" in "+clean(operation))
	h.prose("  ", fmt.Sprintf("follows from %s: once that is fixed, look again", clean(f.Follows)))
	h.at(f)
	h.labelled("expected", clean(f.Expected))
	h.labelled("actual", clean(f.Actual))
	h.line("")
}

// at names the contract's line unless the requirement does.
func (h human) at(f probe.Finding) {
	if at := place(h.r.File, f.Line); !strings.Contains(clean(f.Requirement), at) {
		h.labelled("at", at)
	}
}

func (h human) timeline(f probe.Finding) {
	t := timelineOf(f)
	if len(t.lines) == 0 {
		return
	}
	h.line("  what was sent and came back:")
	for _, line := range t.lines {
		h.prose("  "+line.when+" ", line.text)
	}
	for _, line := range t.legend {
		h.prose("    "+line.name+"  ", line.text)
	}
}

// everything shows a step's cases and controls.
func (h human) everything(operation string, s probe.Result) {
	if len(s.Cases)+len(s.Evidence.Controls) == 0 {
		return
	}
	h.prose("", clean(s.Step)+" in "+clean(operation)+", all that was tried")
	for _, c := range s.Evidence.Controls {
		held := "held"
		if !c.Held {
			held = "did not hold"
		}
		h.labelled("control", clean(c.Name)+" "+held+prefixed(": ", clean(c.Text)))
	}
	for _, line := range likes(s.Cases, func(c probe.Case) string {
		return string(c.Verdict) + "\n" + clean(c.Name) + prefixed(": ", clean(c.Text))
	}) {
		verdict, text, _ := strings.Cut(line, "\n")
		h.labelled(verdict, text)
	}
	h.line("")
}

// labelled writes a label and text beside it, nothing where there is no text.
// Line breaks in text are kept, long lines wrapped.
func (h human) labelled(label, text string) {
	if text == "" {
		return
	}
	const column = 12
	label = pad(label, column-1) + " "
	for _, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) <= h.width()-2-len(label) { // keeps the spacing of quoted lines
			h.line("  %s%s", label, line)
			label = pad("", len(label))
			continue
		}
		for _, part := range fold(line, h.width()-2-len(label)) {
			h.line("  %s%s", label, part)
			label = pad("", len(label))
		}
	}
}

// prose writes text after a first indent and wrapped beneath it.
func (h human) prose(indent, text string) {
	if text == "" {
		return
	}
	n := utf8.RuneCountInString(indent)
	for _, line := range fold(text, h.width()-n) {
		h.line("%s%s", indent, line)
		indent = pad("", n)
	}
}
