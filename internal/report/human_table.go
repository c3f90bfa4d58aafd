package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/idem-toolkit/idem/internal/probe"
)

// table shows an operation's steps with their verdicts and evidence.
func (h human) table(op probe.OperationReport) {
	h.line("%s: %s", h.colour(clean(op.Name), color.Bold), h.paint(op.Verdict, string(op.Verdict)))
	steps, verdicts := len("concurrent"), len("verdict")
	for _, s := range op.Steps {
		steps = max(steps, min(utf8.RuneCountInString(clean(s.Step)), 20))
		verdicts = max(verdicts, len(s.Verdict))
	}
	indent := 2 + steps + 2 + verdicts + 2
	h.line("  %s  %s  %s", pad("step", steps), pad("verdict", verdicts), "evidence")
	var notAsked [][2]string // steps that the user left out, and how
	for i, s := range op.Steps {
		if how := leftOut(s); how != "" {
			notAsked = append(notAsked, [2]string{how, clean(s.Step)})
			continue
		}
		text := evidence(s, h.o.Verbose)
		first := slices.IndexFunc(op.Steps[:i], func(other probe.Result) bool { return alike(other, s) })
		if first >= 0 && s.Verdict == probe.Inconclusive {
			text = "as for " + clean(op.Steps[first].Step)
		}
		verdict := h.paint(s.Verdict, pad(string(s.Verdict), verdicts))
		for i, line := range fold(text, h.width()-indent) {
			if i > 0 {
				h.line("%*s%s", indent, "", line)
				continue
			}
			h.line("  %s  %s  %s", pad(clean(s.Step), steps), verdict, line)
		}
	}
	h.notAsked(notAsked)
	h.line("")
}

// leftOut says how the user left a step out; empty where it was asked for.
func leftOut(s probe.Result) string {
	if s.Verdict != probe.Skipped || len(s.Reasons) != 1 || s.Reasons[0].Line != 0 || !strings.HasPrefix(s.Reasons[0].Text, "left out by ") {
		return ""
	}
	return clean(s.Reasons[0].Text)
}

// notAsked names the steps that were left out, those of one flag together: a
// line for each would push the findings off a terminal.
func (h human) notAsked(steps [][2]string) {
	for len(steps) > 0 {
		how := steps[0][0]
		var names []string
		steps = slices.DeleteFunc(steps, func(s [2]string) bool {
			if s[0] == how {
				names = append(names, s[1])
			}
			return s[0] == how
		})
		h.prose("  skipped, "+how+": ", strings.Join(names, ", "))
	}
}
