package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
)

// width is where lines of prose are broken: fixed, so that a terminal and a
// file get the same bytes.
const width = 100

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
		for _, s := range op.Steps {
			h.details(op.Name, s)
		}
	}
	h.line("%s", h.paint(r.Verdict, summary(r)))
	return nil
}

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
	h.line("%s, %s run %s, seed %d%s", clean(h.r.Tool), clean(h.r.Mode), clean(h.r.Run), h.r.Seed, prefixed(", ", clean(h.r.Began)))
	h.line("contract %s%s", clean(h.r.File), prefixed(", sha256 ", digest(h.r.SHA256)))
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

// table shows an operation's steps with their verdicts and evidence.
func (h human) table(op probe.OperationReport) {
	h.line("%s: %s", h.colour(clean(op.Name), color.Bold), h.paint(op.Verdict, string(op.Verdict)))
	stepWidth := len("concurrent")
	for _, s := range op.Steps {
		stepWidth = max(stepWidth, min(len(s.Step), 20))
	}
	indent := 2 + stepWidth + 2 + len(probe.Inconclusive) + 2
	h.line("  %s  %s  %s", pad("step", stepWidth), pad("verdict", len(probe.Inconclusive)), "evidence")
	for _, s := range op.Steps {
		for i, text := range Wrap(evidence(s), width-indent) {
			if i > 0 {
				h.line("%*s%s", indent, "", text)
				continue
			}
			verdict := h.paint(s.Verdict, pad(string(s.Verdict), len(probe.Inconclusive)))
			h.line("  %s  %s  %s", pad(clean(s.Step), stepWidth), verdict, text)
		}
	}
	h.line("")
}

// details shows what a person has to act on: findings, what would settle an
// inconclusive step, and with --verbose cases and controls.
func (h human) details(operation string, s probe.Result) {
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
			h.unsettled(operation, s, "NOT SETTLED BESIDE THAT:")
		}
	default:
		h.unsettled(operation, s, strings.ToUpper(string(s.Verdict)))
	}
	if h.o.Verbose {
		h.everything(operation, s)
	}
}

func (h human) finding(operation string, s probe.Result, f probe.Finding) {
	h.line("%s %s in %s", h.paint(probe.Fail, "FAIL"), h.colour(clean(f.Slug), color.Bold), clean(operation))
	h.prose("  ", explain.Title(f.Slug))
	h.labelled("promised", strings.Join(cleanLines(f.Requirement), "\n"))
	h.at(f)
	h.labelled("case", clean(f.Case))
	h.labelled("also in", clean(strings.Join(f.Also, "; ")))
	h.labelled("expected", clean(f.Expected))
	h.labelled("actual", clean(f.Actual))
	if e := s.Evidence.Effects; e != nil && len(f.Counts) == 0 {
		h.labelled("counted", effects(*e))
	}
	h.timeline(f)
	h.line("  see it again:")
	for _, line := range strings.Split(strings.TrimSuffix(shortRepro(sourceOf(h.r, h.o, operation, s.Step), f), "\n"), "\n") {
		h.line("%s", strings.TrimRight("    "+clean(line), " "))
	}
	h.line("  what it means and how to fix it:")
	h.line("    idem explain %s", clean(f.Slug))
	h.line("")
}

// following shows a finding that comes from another one shortly.
func (h human) following(operation string, f probe.Finding) {
	h.line("%s %s in %s", h.paint(probe.Fail, "FAIL"), h.colour(clean(f.Slug), color.Bold), clean(operation))
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
		h.line("  %s", line)
	}
	for _, line := range t.legend {
		h.line("    %s", line)
	}
}

// unsettled says why a step is inconclusive or waived, and what would settle it.
func (h human) unsettled(operation string, s probe.Result, heading string) {
	h.line("%s %s in %s", h.paint(s.Verdict, heading), h.colour(clean(s.Step), color.Bold), clean(operation))
	for _, reason := range s.Reasons {
		h.labelled("why", clean(reason.Text))
		if at := place(h.r.File, reason.Line); !strings.Contains(clean(reason.Text), at) {
			h.labelled("at", at)
		}
		h.labelled("settle", clean(reason.Settle))
	}
	for _, c := range s.Evidence.Controls {
		if !c.Held {
			h.labelled("control", clean(c.Name)+" did not hold"+prefixed(": ", clean(c.Text)))
		}
	}
	h.line("")
}

// everything shows a step's cases and controls.
func (h human) everything(operation string, s probe.Result) {
	if len(s.Cases)+len(s.Evidence.Controls) == 0 {
		return
	}
	h.line("%s in %s, all that was tried", h.colour(clean(s.Step), color.Bold), clean(operation))
	for _, c := range s.Evidence.Controls {
		held := "held"
		if !c.Held {
			held = "did not hold"
		}
		h.labelled("control", clean(c.Name)+" "+held+prefixed(": ", clean(c.Text)))
	}
	for _, c := range s.Cases {
		h.labelled(string(c.Verdict), clean(c.Name)+prefixed(": ", clean(c.Text)))
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
		if utf8.RuneCountInString(line) <= width-2-len(label) { // keeps the spacing of quoted lines
			h.line("  %s%s", label, line)
			label = pad("", len(label))
			continue
		}
		for _, part := range Wrap(line, width-2-len(label)) {
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
	for _, line := range Wrap(text, width-len(indent)) {
		h.line("%s%s", indent, line)
		indent = pad("", len(indent))
	}
}
