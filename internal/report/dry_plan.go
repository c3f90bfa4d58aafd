package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// dryBody is how many characters of a request's body a person is shown.
const dryBody = 400

// whole shows an operation with every fact, request and action.
func (h human) whole(op DryOperation) {
	for _, s := range op.Sections.named() {
		h.line("  %s: %s", h.colour(s.name, color.Bold), s.title)
		h.facts(s.facts)
	}
	h.line("  %s", h.colour("plan", color.Bold))
	for _, s := range op.Steps {
		h.plan(s)
	}
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
		for _, line := range fold(f.text(), h.width()-len(label)) {
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
	h.prose("    "+pad(s.Step, 12), fmt.Sprintf("%s and %s expected, at most %d and %d",
		plural(s.ExpectMakes, "operation"), plural(s.ExpectSends, "request"), s.Makes, s.Sends))
	for _, note := range s.Notes {
		h.prose("      note: ", clean(note))
	}
	var last []string
	for _, q := range s.Requests {
		head := headLines(q, h.o.Auth)
		if !slices.Equal(head, last) {
			for i, line := range head {
				h.prose("      "+pad("", 2*min(i, 1)), line)
			}
		}
		last = head
		h.prose("        request ", clean(q.ID)+prefixed(", ", clean(q.Change)))
		h.prose("          ", "key "+orNone(clean(q.Key))+", fingerprint "+orNone(clean(q.Fingerprint)))
		h.prose("          body ", dryBodyText(q.Body))
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
