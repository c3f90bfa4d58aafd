package report

import (
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/idem-toolkit/idem/internal/probe"
)

// alike says how many steps from the first on came to nothing for the same
// reasons: 1 where it stands for itself. An API that is not there would else
// be told of six times.
func alike(steps []probe.Result) int {
	first := steps[0]
	bare := func(s probe.Result) bool {
		return len(s.Findings)+len(s.Cases)+len(s.Notes)+len(s.Evidence.Measures) == 0 && len(s.Reasons) > 0 &&
			s.Verdict != probe.Pass && s.Verdict != probe.Fail && s.Evidence.Effects == nil
	}
	n := 1
	for n < len(steps) && bare(first) && bare(steps[n]) && steps[n].Verdict == first.Verdict &&
		slices.Equal(steps[n].Reasons, first.Reasons) && slices.Equal(steps[n].Evidence.Controls, first.Evidence.Controls) {
		n++
	}
	return n
}

// unsettled says why steps that are alike are inconclusive or waived, and what
// would settle them.
func (h human) unsettled(operation string, steps []probe.Result, heading string) {
	s := steps[0]
	h.line("%s %s in %s", h.paint(s.Verdict, heading), h.colour(stepNames(steps), color.Bold), clean(operation))
	reasons := folded(s.Reasons, len(s.Cases))
	for i, reason := range reasons {
		if i == reasonsMost && !h.o.Verbose {
			h.labelled("and", plural(len(reasons)-i, "more reason")+" under --verbose")
			break
		}
		h.labelled("why", clean(reason.Text))
		if at := place(h.r.File, reason.Line); !strings.Contains(clean(reason.Text), at) {
			h.labelled("at", at)
		}
		if i+1 == len(reasons) || i+1 == reasonsMost && !h.o.Verbose || reasons[i+1].Settle != reason.Settle {
			h.labelled("settle", clean(reason.Settle))
		}
	}
	h.lostControls(s.Evidence.Controls)
	if len(steps) == 1 && s.Verdict != probe.Waived {
		h.labelled("explained", "idem explain "+clean(s.Step))
	}
	h.line("")
}

// lostControls tells of the controls that did not hold, each once by its name.
func (h human) lostControls(all []probe.Control) {
	told := map[string]bool{}
	for _, c := range all {
		if !c.Held && !told[c.Name] {
			told[c.Name] = true
			h.labelled("control", clean(c.Name)+" did not hold"+prefixed(": ", clean(c.Text)))
		}
	}
}

func stepNames(steps []probe.Result) string {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = clean(s.Step)
	}
	return strings.Join(names, ", ")
}

// summary ends a report: what is broken and what is open, by name, so that the
// last lines on a terminal say what to look at; then the verdict.
func (h human) summary() {
	for _, op := range h.r.Operations {
		in := ""
		if len(h.r.Operations) > 1 {
			in = " in " + clean(op.Name)
		}
		for i := 0; i < len(op.Steps); {
			n := alike(op.Steps[i:])
			h.named(in, op.Steps[i:i+n])
			i += n
		}
	}
	h.line("%s", h.paint(h.r.Verdict, summary(h.r)))
}

// named gives the findings of a step, or why steps are open, a line each.
func (h human) named(in string, steps []probe.Result) {
	s := steps[0]
	for _, f := range s.Findings {
		text := clean(f.Slug) + in + bracketed(place(h.r.File, f.Line))
		if f.Follows != "" {
			text += ", follows from " + clean(f.Follows)
		}
		h.verdictLine(probe.Fail, text)
	}
	if s.Verdict != probe.Inconclusive && s.Verdict != probe.Waived {
		return
	}
	text := stepNames(steps) + in
	for i, reason := range folded(s.Reasons, len(s.Cases)) {
		if i > 0 {
			text += ", and more"
			break
		}
		text += ": " + clean(reason.Text)
		if at := place(h.r.File, reason.Line); !strings.Contains(clean(reason.Text), at) {
			text += bracketed(at)
		}
	}
	h.verdictLine(s.Verdict, text)
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func (h human) verdictLine(v probe.Verdict, text string) {
	indent := string(v) + ": "
	for i, line := range fold(text, h.width()-len(indent)) {
		if i == 0 {
			h.line("%s%s", h.paint(v, indent), line)
			continue
		}
		h.line("%s%s", pad("", len(indent)), line)
	}
}
