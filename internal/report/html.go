package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"

	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
)

// One page that needs nothing else: no script, no font, no picture, and a policy
// that lets none be loaded, whatever a server put into an answer. Every text is
// cleaned and escaped.

//go:embed html.css
var htmlStyle string

func writeHTML(b *bytes.Buffer, r probe.Report, o Options) error {
	p := page{b: b, r: r, o: o}
	p.head("idem verify: " + string(r.Verdict))
	p.element("h1", "", "idem verify: "+string(r.Verdict))
	p.element("p", "", summary(r))
	p.element("p", "small", fmt.Sprintf("%s, %s run %s, seed %d, contract %s, sha256 %s", r.Tool, r.Mode, r.Run, r.Seed, r.File, digest(r.SHA256)))
	if r.Interrupted {
		p.element("p", "note", "Interrupted: what was recorded until then is judged.")
	}
	for _, note := range r.Notes {
		p.element("p", "note", note)
	}
	for _, op := range r.Operations {
		p.element("h2", "", op.Name+": "+string(op.Verdict))
		p.table(op)
		for _, s := range op.Steps {
			p.details(op.Name, s)
			p.releases(s)
		}
	}
	p.foot()
	return nil
}

func writeDryHTML(b *bytes.Buffer, d Dry, o Options) error {
	p := page{b: b, r: d.asReport(), o: o}
	p.head("idem verify: not run")
	p.element("h1", "", "idem verify: not run (dry run)")
	p.element("p", "small", fmt.Sprintf("%s, seed %d, contract %s, sha256 %s", d.Tool, d.Seed, d.File, digest(d.SHA256)))
	for _, note := range d.Notes {
		p.element("p", "note", note)
	}
	for _, op := range d.Operations {
		p.element("h2", "", op.Name)
		p.dryTable(op)
		p.raw("<details><summary>the plan</summary>\n")
		var plan bytes.Buffer
		h := human{b: &plan, o: o.plain(), r: p.r}
		for _, s := range op.Steps {
			h.plan(s)
		}
		p.pre(plan.String())
		p.raw("</details>\n")
	}
	p.element("p", "", d.bounds())
	p.element("p", "note", fmt.Sprintf("%s (exit %d)", nothingSent, d.Exit))
	p.foot()
	return nil
}

type page struct {
	b *bytes.Buffer
	r probe.Report
	o Options
}

func (p page) raw(markup string) { p.b.WriteString(markup) }

func (p page) text(s string) { p.b.WriteString(html.EscapeString(clean(s))) }

func (p page) element(name, class, text string) {
	p.raw("<" + name)
	if class != "" {
		p.raw(` class="` + class + `"`)
	}
	p.raw(">")
	p.text(text)
	p.raw("</" + name + ">\n")
}

// pre shows text of several lines, each of them clean already.
func (p page) pre(text string) {
	p.raw("<pre>")
	for _, line := range cleanLines(text) {
		p.text(line)
		p.raw("\n")
	}
	p.raw("</pre>\n")
}

func (p page) head(title string) {
	p.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.raw(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` + "\n")
	p.raw(`<meta name="viewport" content="width=device-width">` + "\n<title>")
	p.text(title)
	p.raw("</title>\n<style>\n" + htmlStyle + "</style>\n</head>\n<body>\n")
}

func (p page) foot() { p.raw("</body>\n</html>\n") }

func (p page) table(op probe.OperationReport) {
	p.raw("<table>\n<tr><th>step</th><th>verdict</th><th>evidence</th></tr>\n")
	for _, s := range op.Steps {
		p.raw("<tr>")
		p.element("td", "", s.Step)
		p.element("td", verdictClass(s.Verdict), string(s.Verdict))
		p.element("td", "", evidence(s, false))
		p.raw("</tr>\n")
	}
	p.raw("</table>\n")
}

func (p page) dryTable(op DryOperation) {
	p.raw("<table>\n<tr><th>section</th><th>fact</th><th>value</th></tr>\n")
	for _, s := range op.Sections.named() {
		for _, f := range s.facts {
			p.raw("<tr>")
			p.element("td", "", s.name)
			p.element("td", "", f.Name)
			p.element("td", "", f.text())
			p.raw("</tr>\n")
		}
	}
	p.raw("</table>\n")
}

func verdictClass(v probe.Verdict) string {
	switch v {
	case probe.Pass, probe.Fail, probe.Inconclusive:
		return string(v)
	}
	return "other"
}

// details tells a step's findings in full, then what could not be settled.
func (p page) details(operation string, s probe.Result) {
	for _, f := range s.Findings {
		p.raw("<details open><summary>")
		p.text(f.Slug)
		p.raw("</summary>\n")
		if e := explain.Find(f.Slug); e != nil {
			p.element("p", "", "For money: "+e.Money)
		}
		var text bytes.Buffer
		h := human{b: &text, o: p.o.plain(), r: p.r}
		if f.Follows != "" {
			h.following(operation, f)
		} else {
			h.finding(operation, s, f)
		}
		p.pre(text.String())
		p.raw("</details>\n")
	}
	if s.Verdict != probe.Inconclusive {
		return
	}
	p.raw("<details open><summary>")
	p.text(s.Step + ": not settled")
	p.raw("</summary>\n")
	p.pre(reasonText(p.r, s))
	p.raw("</details>\n")
}
