package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// dryBody is how many characters of a request's body a person is shown.
const dryBody = 400

func writeDryHuman(b *bytes.Buffer, d Dry, o Options) error {
	h := human{b, o, d.asReport()}
	h.line("%s, dry run %s, seed %d", clean(d.Tool), clean(d.Run), d.Seed)
	h.line("contract %s%s%s", clean(d.File), prefixed(", ", clean(d.Name)), prefixed(", sha256 ", digest(d.SHA256)))
	for _, note := range d.Notes {
		h.prose("note: ", clean(note))
	}
	h.line("")
	for _, op := range d.Operations {
		h.line("%s", h.colour(clean(op.Name), color.Bold))
		for _, s := range op.Sections.named() {
			h.line("  %s", h.colour(s.name, color.Bold))
			h.facts(s.facts)
		}
		h.line("  %s", h.colour("plan", color.Bold))
		for _, s := range op.Steps {
			h.plan(s)
		}
		h.line("")
	}
	makes, sends := d.totals()
	h.line("a live run makes %s at most and sends %s at most", plural(makes, "operation"), plural(sends, "request"))
	h.line("%s (exit %d)", nothingSent, d.Exit)
	return nil
}

func (h human) facts(facts []Fact) {
	if len(facts) == 0 {
		h.line("    (nothing is said)")
	}
	column := 0
	for _, f := range facts {
		column = max(column, min(len(f.Name), 24))
	}
	for _, f := range facts {
		label := "    " + pad(clean(f.Name), column) + "  "
		for _, line := range Wrap(f.text(), width-len(label)) {
			h.line("%s", strings.TrimRight(label+line, " "))
			label = pad("", len(label))
		}
	}
}

// text is a fact's value for people.
func (f Fact) text() string {
	switch {
	case f.Open:
		return "not said by the contract"
	case f.List != nil && len(f.List) == 0:
		return "none"
	case f.List != nil:
		words := slices.Clone(f.List)
		for i := range words {
			words[i] = orEmpty(words[i])
		}
		return strings.Join(words, ", ")
	}
	return orEmpty(f.Value)
}

// orEmpty shows an empty text as two quotes: a pointer to the whole body is one.
func orEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return clean(s)
}

func (h human) plan(s DryStep) {
	if s.Idle.Text != "" {
		h.prose("    "+pad(s.Step, 12), "nothing is planned: "+idleText(h.r.File, s.Idle))
		return
	}
	h.line("    %s%s at most, %s at most", pad(s.Step, 12), plural(s.Makes, "operation"), plural(s.Sends, "request"))
	for _, note := range s.Notes {
		h.prose("      note: ", clean(note))
	}
	var last []string
	for _, q := range s.Requests {
		head := headLines(q, h.o.Auth)
		if !slices.Equal(head, last) {
			for i, line := range head {
				h.line("      %s%s", pad("", 2*min(i, 1)), line)
			}
		}
		last = head
		h.line("        request %s%s", clean(q.ID), prefixed(", ", clean(q.Change)))
		h.line("          key %s, fingerprint %s", orNone(clean(q.Key)), orNone(clean(q.Fingerprint)))
		h.line("          body %s", dryBodyText(q.Body))
	}
	for _, l := range s.Lines {
		h.prose("      "+strings.Repeat("  ", l.Depth)+clean(l.Action)+" ", orNone(clean(l.Text)))
	}
}

// idleText says why nothing is planned, where the contract says so and what
// would change it.
func idleText(file string, r probe.Reason) string {
	s := clean(r.Text)
	if at := place(file, r.Line); at != "" && !strings.Contains(s, at) {
		s += " (" + at + ")"
	}
	return s + prefixed("; to settle it: ", clean(r.Settle))
}

// headLines are the request line and header section, the key's value standing
// by its name, so that requests that differ in the key alone have equal ones.
// Auth is added as a request is sent.
func headLines(q DryRequest, auth [][2]string) []string {
	lines := []string{clean(q.Method) + " " + clean(q.Target)}
	for _, header := range slices.Concat(q.Header, auth) {
		value := clean(header[1])
		if q.Key != "" {
			value = strings.ReplaceAll(value, clean(q.Key), "<key>")
		}
		lines = append(lines, clean(header[0])+": "+value)
	}
	return lines
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func dryBodyText(b trace.Body) string {
	if b.Size == 0 || b.Base64 {
		return shortBody(b)
	}
	s := cut(clean(b.Head), dryBody)
	if b.Truncated || s != b.Head {
		s += fmt.Sprintf(" (%s)", plural(b.Size, "byte"))
	}
	return s
}

// writeDryJUnit has every step skipped, whatever the exit code.
func writeDryJUnit(b *bytes.Buffer, d Dry, o Options) error {
	return encodeXML(b, junitOf(d.asReport(), o))
}

func writeDryMarkdown(b *bytes.Buffer, d Dry, o Options) error {
	b.WriteString("## idem verify: not run (dry run)\n\n")
	fmt.Fprintf(b, "%s, seed %d, contract %s\n\n", mdCode(d.Tool), d.Seed, mdCode(d.File))
	for _, note := range d.Notes {
		fmt.Fprintf(b, "> %s\n\n", mdText(note))
	}
	for _, op := range d.Operations {
		fmt.Fprintf(b, "### %s\n\n| section | fact | value |\n| --- | --- | --- |\n", mdCode(op.Name))
		for _, s := range op.Sections.named() {
			for _, f := range s.facts {
				fmt.Fprintf(b, "| %s | %s | %s |\n", mdText(s.name), mdText(f.Name), mdText(f.text()))
			}
		}
		b.WriteByte('\n')
		var plan bytes.Buffer
		h := human{b: &plan, o: o.plain(), r: d.asReport()}
		h.line("plan") // the heading, which mdFence leaves out
		for _, s := range op.Steps {
			h.plan(s)
		}
		fmt.Fprintf(b, "<details><summary>the plan</summary>\n\n")
		mdFence(b, plan.String())
		b.WriteString("</details>\n\n")
	}
	makes, sends := d.totals()
	fmt.Fprintf(b, "A live run makes %s at most and sends %s at most.\n\n", plural(makes, "operation"), plural(sends, "request"))
	fmt.Fprintf(b, "**%s** (exit %d)\n", nothingSent, d.Exit)
	return nil
}
