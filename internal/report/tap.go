package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
)

// TAP version 14: one test point a step. What is inconclusive is not ok, for a
// harness must not go green on what could not be shown; a step that is skipped
// or waived carries SKIP with its reason.

func writeTAP(b *bytes.Buffer, r probe.Report, o Options) error {
	t := tap{b: b, r: r, o: o}
	b.WriteString("TAP version 14\n")
	total := 0
	for _, op := range r.Operations {
		total += len(op.Steps)
	}
	fmt.Fprintf(b, "1..%d%s\n", total, tapReason(total == 0, "nothing ran"))
	for _, op := range r.Operations {
		for _, s := range op.Steps {
			t.point(op.Name, s)
		}
	}
	if r.Verdict != probe.NotRun {
		fmt.Fprintf(b, "# %s\n", clean(summary(r)))
	}
	switch {
	case r.Exit == 2:
		b.WriteString("Bail out! the trace could not be written\n")
	case r.Interrupted:
		b.WriteString("Bail out! interrupted\n")
	case r.Exit == 4:
		b.WriteString("Bail out! nothing could be sent\n")
	}
	return nil
}

func writeDryTAP(b *bytes.Buffer, d Dry, o Options) error {
	if err := writeTAP(b, d.asReport(), o); err != nil {
		return err
	}
	fmt.Fprintf(b, "# %s\n", nothingSent)
	return nil
}

type tap struct {
	b *bytes.Buffer
	r probe.Report
	o Options
	n int
}

// point writes one step.
func (t *tap) point(operation string, s probe.Result) {
	t.n++
	ok, directive := "ok", ""
	switch s.Verdict {
	case probe.Pass:
	case probe.Skipped, probe.Waived, probe.NotRun:
		directive = " # SKIP " + tapText(because(s))
	default:
		ok = "not ok"
	}
	fmt.Fprintf(t.b, "%s %d - %s%s\n", ok, t.n, tapText(operation+": "+s.Step), directive)
	if ok == "ok" {
		return
	}
	t.b.WriteString("  ---\n")
	t.member("verdict", string(s.Verdict))
	t.member("message", t.message(s))
	if line := firstLine(s); line > 0 {
		t.member("at", place(t.r.File, line))
	}
	if len(s.Findings) > 0 {
		ids := make([]string, len(s.Findings))
		for i, f := range s.Findings {
			ids[i] = clean(f.ID)
		}
		t.member("findings", ids)
	}
	if len(s.Findings) > 0 {
		t.member("evidence", failureText(t.r, t.o, operation, s))
	} else {
		t.member("evidence", reasonText(t.r, s))
	}
	t.b.WriteString("  ...\n")
}

func (t *tap) message(s probe.Result) string {
	if len(s.Findings) == 0 {
		return because(s)
	}
	return strings.Join(broken(s.Findings), "; ")
}

// member is a line of a YAML block whose value is JSON, which every reader of
// YAML 1.2 reads.
func (t *tap) member(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte("null")
	}
	fmt.Fprintf(t.b, "  %s: %s\n", name, text)
}

// firstLine is the contract's line that a step's verdict is about; 0: none.
func firstLine(s probe.Result) int {
	for _, f := range s.Findings {
		if f.Line > 0 {
			return f.Line
		}
	}
	for _, r := range s.Reasons {
		if r.Line > 0 {
			return r.Line
		}
	}
	return 0
}

// tapText is text in which nothing is a directive.
func tapText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "#", `\#`).Replace(clean(s))
}

func tapReason(is bool, why string) string {
	if !is {
		return ""
	}
	return " # SKIP " + why
}
