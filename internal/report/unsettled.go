package report

import (
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
)

// grouped puts steps that are open for the very same reasons together, at the
// place of the first of them: an API that is not there would else be told of
// six times. Every other step is a group of its own.
func grouped(steps []probe.Result) [][]probe.Result {
	var groups [][]probe.Result
	for _, s := range steps {
		if i := slices.IndexFunc(groups, func(g []probe.Result) bool { return alike(g[0], s) }); i >= 0 {
			groups[i] = append(groups[i], s)
			continue
		}
		groups = append(groups, []probe.Result{s})
	}
	return groups
}

func alike(a, b probe.Result) bool {
	return a.Verdict == b.Verdict && a.Verdict != probe.Pass && a.Verdict != probe.Fail && len(a.Findings)+len(b.Findings) == 0 &&
		len(a.Reasons) > 0 && slices.Equal(folded(a.Reasons, len(a.Cases)), folded(b.Reasons, len(b.Cases)))
}

// unsettled says why steps that are alike are inconclusive or waived, and what
// would settle them.
func (h human) unsettled(operation string, steps []probe.Result, heading string) {
	s := steps[0]
	h.headed(s.Verdict, heading+" ", stepNames(steps)+" in "+clean(operation))
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
	for _, c := range lostControls(steps) {
		h.labelled("control", clean(c.Name)+" did not hold"+prefixed(": ", clean(c.Text)))
	}
	if len(steps) == 1 && s.Verdict != probe.Waived {
		h.labelled("explained", "idem explain "+clean(s.Step))
	}
	h.line("")
}

// lostControls gives the controls that did not hold, each once by its name,
// those left out that a reason tells of.
func lostControls(steps []probe.Result) []probe.Control {
	var lost []probe.Control
	for _, s := range steps {
		for _, c := range s.Evidence.Controls {
			told := slices.ContainsFunc(s.Reasons, func(r probe.Reason) bool { return c.Text != "" && strings.Contains(r.Text, c.Text) })
			if !c.Held && !told && !slices.ContainsFunc(lost, func(other probe.Control) bool { return other.Name == c.Name }) {
				lost = append(lost, c)
			}
		}
	}
	return lost
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
		for _, group := range grouped(op.Steps) {
			h.named(in, group)
		}
	}
	for _, line := range h.last(summary(h.r)) {
		h.line("%s", h.paint(h.r.Verdict, line))
	}
}

// last gives the lines of a report's last sentence: one where no terminal
// breaks it, since programs look for it.
func (h human) last(text string) []string {
	if h.o.Width > 0 {
		return fold(text, h.o.Width)
	}
	return []string{text}
}

// named gives the findings of a step, or why steps are open, a line each.
func (h human) named(in string, steps []probe.Result) {
	s := steps[0]
	for _, f := range s.Findings {
		text := clean(f.Slug) + in + bracketed(place(h.r.File, f.Line))
		if f.Follows != "" {
			text += ", follows from " + clean(f.Follows)
		}
		h.headed(probe.Fail, "fail: ", text)
	}
	if s.Verdict != probe.Inconclusive && s.Verdict != probe.Waived {
		return
	}
	text := stepNames(steps) + in
	if reasons := folded(s.Reasons, len(s.Cases)); len(reasons) > 0 {
		reason := reasons[0]
		if s.Verdict == probe.Waived {
			reason = reasons[len(reasons)-1] // the waiver itself
		}
		if at := place(h.r.File, reason.Line); !strings.Contains(clean(reason.Text), at) {
			text += bracketed(at)
		}
		text += ": " + strings.TrimPrefix(clean(reason.Text), "waived ")
		if len(reasons) > 1 && s.Verdict != probe.Waived {
			text += "; and more"
		}
	}
	h.headed(s.Verdict, string(s.Verdict)+": ", cut(text, 2*(h.width()-len(s.Verdict)-2)))
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// headed writes text after a heading in a verdict's colour, and wrapped beside it.
func (h human) headed(v probe.Verdict, heading, text string) {
	for i, line := range fold(text, h.width()-len(heading)) {
		if i == 0 {
			h.line("%s%s", h.paint(v, heading), line)
			continue
		}
		h.line("%s%s", pad("", len(heading)), line)
	}
}
