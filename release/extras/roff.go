package main

import (
	"bytes"
	"fmt"
	"strings"
)

// roff is a page in the macros of man(7), which every formatter of manuals reads.
type roff struct{ bytes.Buffer }

// request writes a line of the formatter's own, its arguments quoted.
func (r *roff) request(name string, args ...string) {
	r.WriteString("." + name)
	for _, arg := range args {
		fmt.Fprintf(r, ` "%s"`, strings.ReplaceAll(escaped(arg), `"`, `\(dq`))
	}
	r.WriteByte('\n')
}

func (r *roff) section(title string) { r.request("SH", title) }

// line writes one line of text, which the formatter fills with its neighbours.
func (r *roff) line(text string) {
	if text = strings.TrimSpace(text); text != "" {
		r.WriteString(guarded(escaped(text)) + "\n")
	}
}

// tagged writes a term, in bold, and indented what it means.
func (r *roff) tagged(term, means string) {
	r.request("TP")
	r.request("B", term)
	r.line(means)
}

// prose writes paragraphs, parted by empty lines. Lines that are indented stay
// as they are.
func (r *roff) prose(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			r.verbatim(paragraph)
			continue
		}
		if i > 0 {
			r.request("PP")
		}
		for line := range strings.Lines(paragraph) {
			r.line(line)
		}
	}
}

// verbatim writes lines that keep their spaces and breaks.
func (r *roff) verbatim(text string) {
	r.request("PP")
	r.request("RS", "4")
	r.request("nf")
	for line := range strings.Lines(text) {
		r.WriteString(guarded(escaped(strings.TrimPrefix(strings.TrimRight(line, "\n"), "  "))) + "\n")
	}
	r.request("fi")
	r.request("RE")
}

// escaped gives text in which nothing is the formatter's. A hyphen becomes a
// minus, so that a flag can be copied and searched for.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
}

// guarded keeps a line from being taken for a request.
func guarded(line string) string {
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}
