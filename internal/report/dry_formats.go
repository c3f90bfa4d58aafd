package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fatih/color"
)

func writeDryHuman(b *bytes.Buffer, d Dry, o Options) error {
	h := human{b, o, d.asReport()}
	h.prose("", fmt.Sprintf("%s, dry run %s, seed %d", clean(d.Tool), clean(d.Run), d.Seed))
	h.prose("", fmt.Sprintf("contract %s%s%s", clean(d.File), prefixed(", ", clean(d.Name)), prefixed(", sha256 ", digest(d.SHA256))))
	for _, note := range d.Notes {
		h.prose("note: ", clean(note))
	}
	h.line("")
	for _, op := range d.Operations {
		h.line("%s", h.colour(clean(op.Name), color.Bold))
		if o.Verbose {
			h.whole(op)
		} else {
			h.page(op)
		}
		h.line("")
	}
	h.prose("", d.bounds())
	if !o.Verbose {
		h.prose("", "every request with its key and body: --verbose, or --format json")
	}
	for _, line := range h.last(fmt.Sprintf("%s (exit %d)", nothingSent, d.Exit)) {
		h.line("%s", line)
	}
	return nil
}

// bounds says how much a live run does, and at most.
func (d Dry) bounds() string {
	t := d.totals()
	return fmt.Sprintf("a live run makes %s and sends %s where every answer is final at once, "+
		"at most %d and %d with all retries and controls that the plan allows: "+
		"a bound that only a service in trouble all along comes near, lower with --only or --skip",
		plural(t.ExpectMakes, "operation"), plural(t.ExpectSends, "request"), t.Makes, t.Sends)
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
	fmt.Fprintf(b, "A%s.\n\n", mdText(strings.TrimPrefix(d.bounds(), "a")))
	fmt.Fprintf(b, "**%s** (exit %d)\n", nothingSent, d.Exit)
	return nil
}
