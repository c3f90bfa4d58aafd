package probe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// outcome writes what a report says, a line for each step that does not pass:
// step, verdict, then findings (slug<-what it follows from), then reasons.
func outcome(r *probe.Report) string {
	var b strings.Builder
	for _, op := range r.Operations {
		for _, s := range op.Steps {
			if s.Verdict == probe.Pass && len(s.Findings) == 0 && len(s.Reasons) == 0 {
				continue
			}
			fmt.Fprintf(&b, "%s %s", s.Step, s.Verdict)
			for _, f := range s.Findings {
				b.WriteString(" " + f.Slug)
				if f.Follows != "" {
					b.WriteString("<-" + f.Follows)
				}
			}
			for _, reason := range s.Reasons {
				b.WriteString("\n    " + reason.Text)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// verdicts is outcome without the reasons.
func verdicts(r *probe.Report) string {
	var lines []string
	for _, line := range strings.Split(outcome(r), "\n") {
		if line != "" && line[0] != ' ' {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestRightServerPasses(t *testing.T) {
	r, _ := play(t, scene{})
	if got := outcome(r); got != "" || r.Verdict != probe.Pass || r.Exit != 0 {
		t.Errorf("a right server gets %s, exit %d:\n%s", r.Verdict, r.Exit, got)
	}
}
