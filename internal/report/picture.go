package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/probe"
)

// A picture of a release: a line for each copy, time from the release on from
// left to right. It is ASCII everywhere, so that it needs no font and is the same
// on a terminal and in a pipe. strand.go has the lines, axis.go the time.

// pictureLegend explains the marks.
const pictureLegend = "time runs from the release to the right: w written, . waiting, ( first answer byte, ) last, * both, " +
	"x no whole answer, > later than is shown"

// Bounds of a picture.
const (
	mostRows   = 12 // lines of copies; what else there is stands in the last one
	apartMost  = 6  // copies that are few enough for a line each
	barLeast   = 20 // characters of time that a line with numbers beside it needs
	barMost    = 72
	nameMost   = 24 // characters of an instance's name
	outlying   = 10 // times the latest answer: what is waited for longer, and in vain, is off the axis
	splitParts = 8  // copies that got the same are parted where a gap is longer than this part of the axis
)

// pictures shows releases, copy by copy.
func (h human) pictures(all []probe.Picture) {
	for i, p := range all {
		h.picture(p)
		if i == len(all)-1 {
			h.prose("  ", pictureLegend)
		}
		h.line("")
	}
}

func (h human) picture(p probe.Picture) {
	h.prose("  ", pictureHead(p))
	a := axisOf(p.Copies)
	lines := strands(p.Copies, a.span())
	if len(lines) == 0 {
		return
	}
	held := slices.ContainsFunc(p.Copies, func(c probe.Pictured) bool { return c.Hold != "" })
	several := slices.ContainsFunc(p.Copies, func(c probe.Pictured) bool { return c.Instance != p.Copies[0].Instance })
	rows := [][]string{{"written", "answered", ""}}
	labels := 0
	for _, s := range lines {
		rows = append(rows, []string{s.written(), s.answered(), s.got(held, several)})
		labels = max(labels, len(s.label()))
	}
	beside := columned(rows)
	n := h.width() - len("    ") - labels - len(" |") - len("|  ") - width(beside)
	if n >= barLeast {
		h.wide(a, lines, beside, labels, min(n, barMost))
		return
	}
	h.narrow(a, lines, rows[1:], labels)
}

// wide has a copy's numbers and what it got beside its bar.
func (h human) wide(a axis, lines []strand, beside []string, labels, n int) {
	h.line("    %s  %s   %s", pad("", labels), a.ticks(n), beside[0])
	for i, s := range lines {
		h.line("    %s |%s|  %s", pad(s.label(), labels), s.bar(a, n), beside[i+1])
	}
}

// narrow has them beneath.
func (h human) narrow(a axis, lines []strand, texts [][]string, labels int) {
	n := min(h.width()-len("  ")-labels-len(" ||"), barMost)
	if n >= 2 {
		h.line("%s", strings.TrimRight("  "+pad("", labels)+"  "+a.ticks(n), " "))
	}
	for i, s := range lines {
		indent := "  " + pad("", labels) + "  "
		if n >= 2 {
			h.line("  %s |%s|", pad(s.label(), labels), s.bar(a, n))
		} else {
			h.line("  %s", s.label())
			indent = "  "
		}
		text := texts[i][2]
		if texts[i][0] != "-" {
			text += "; written " + texts[i][0]
		}
		if texts[i][1] != "-" {
			text += ", answered " + texts[i][1]
		}
		h.prose(indent, text)
	}
}

// pictureHead names the round, why it is shown and what its copies shared.
func pictureHead(p probe.Picture) string {
	conns := map[int]bool{}
	streams := false
	for _, c := range p.Copies {
		if c.Connection != 0 {
			conns[c.Connection] = true
		}
		streams = streams || c.Stream != 0
	}
	s := cut(clean(p.Case), textMost) + bracketed(cut(clean(p.Why), textMost))
	switch {
	case streams:
		s += ": HTTP/2 on " + plural(len(conns), "connection")
	case len(conns) > 0:
		s += ": " + plural(len(conns), "connection")
	}
	if p.Released == 0 && len(p.Copies) > 0 {
		s += "; when they were released is not known: times count from the first write"
	}
	return s
}

// width is the length of the longest of some lines.
func width(lines []string) int {
	n := 0
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(line))
	}
	return n
}
