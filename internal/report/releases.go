package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// How the copies of races were released, for people who ask: a table with a row
// for each kind of release, why rounds do not count, and what the rounds that
// do could have shown. What is said of rounds is of these rounds: that no double
// came shows no absence of one (release, Design).

// releaseColumns are the columns of the table. Names are short, so that it fits
// 80 columns; releaseLegend explains them.
var releaseColumns = []string{"copies", "protocol", "hold", "conn.", "overlapped", "spread", "largest", "answer", "longest"}

const releaseLegend = "overlapped: rounds that count, of those made; spread: of a round, from its first copy written to its last, median and largest; " +
	"answer: from the release to a copy's first answer byte, median and longest"

// releaseRow gives a kind's values, in the order of releaseColumns.
func releaseRow(r probe.Release) []string {
	spread, largest := median(r.Spread)
	answer, longest := median(r.Answers)
	return []string{copiesOf(r), orDash(r.Protocol), orDash(r.Hold), connectionsOf(r),
		fmt.Sprintf("%d of %d", r.Overlapped, r.Made), spread, largest, answer, longest}
}

// copiesOf counts a release's copies: "2", or "15 x 2" where keys of two copies
// each went together.
func copiesOf(r probe.Release) string {
	if r.Keys > 1 {
		return fmt.Sprintf("%d x %d", r.Keys, r.Copies)
	}
	return fmt.Sprint(r.Copies)
}

func connectionsOf(r probe.Release) string {
	if r.Connections[0] == r.Connections[1] {
		return fmt.Sprint(r.Connections[0])
	}
	return fmt.Sprintf("%d-%d", r.Connections[0], r.Connections[1])
}

func median(t probe.Times) (median, most string) {
	if t.N == 0 {
		return "-", "-"
	}
	return brief(t.Median), brief(t.Most)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return clean(s)
}

// uncounted says why rounds do not count: a line for each kind and reason.
func uncounted(releases []probe.Release) []string {
	var out []string
	for _, r := range releases {
		for _, u := range r.Uncounted {
			out = append(out, fmt.Sprintf("%s of %s: %s", plural(u.Rounds, "round"), kindOf(r), clean(u.Why)))
		}
	}
	return out
}

// brokenRounds says in how many of the rounds that count a promise was broken.
func brokenRounds(releases []probe.Release) []string {
	var out []string
	for _, r := range releases {
		if r.Broken > 0 {
			out = append(out, fmt.Sprintf("%d of %s that %s, of %s", r.Broken, plural(r.Overlapped, "round"),
				verb(r.Overlapped, "counts", "count"), kindOf(r)))
		}
	}
	return out
}

// kindOf names a kind: "2 copies, HTTP/2, body hold".
func kindOf(r probe.Release) string {
	s := copiesOf(r) + " copies"
	if copiesOf(r) == "1" {
		s = "1 copy"
	}
	if r.Protocol == "mixed" {
		s += ", in different protocols"
	} else {
		s += prefixed(", ", clean(r.Protocol))
	}
	switch r.Hold {
	case "", "none":
		s += ", not held"
	case "mixed":
		s += ", held in different ways"
	case "whole":
		s += ", whole requests"
	default:
		s += ", " + clean(r.Hold) + " hold"
	}
	if r.Apart {
		s += ", a connection each"
	}
	return s
}

// powers say what the rounds that count could have shown, a line for each hold,
// and which gap between two copies that rests on.
func powers(all []probe.Power) []string {
	var out []string
	for _, p := range all {
		s := clean(p.Hold) + " hold: "
		if p.Rounds <= 0 || p.Window <= 0 {
			out = append(out, s+"no pair counts, and none would have shown anything")
			continue
		}
		s += plural(p.Rounds, "pair") + " would have shown a window of " + exact(p.Window) + " or longer with 95 %"
		if p.Asked > 0 {
			s += ", one of " + exact(p.Asked) + " with " + percent(p.Reached)
			if p.Wanted > 0 {
				s += " (" + percent(p.Wanted) + " wanted)"
			}
		}
		s += "; how far apart they arrive is taken to deviate by " + brief(p.Sigma) + " at the widest, "
		if p.Measured {
			out = append(out, s+"by the writes as they were sent")
		} else {
			out = append(out, s+"as measured on loopback")
		}
	}
	return out
}

// exact is a time that was rounded with care already: a window that is said to
// be seen must not come out smaller than it is.
func exact(d time.Duration) string { return strings.ReplaceAll(d.String(), "µ", "u") }

// percent is a chance as a percentage, rounded down: what was nearly reached was
// not reached.
func percent(chance float64) string {
	if !(chance > 0) { // what is no number too
		return "0 %"
	}
	return strconv.FormatFloat(math.Floor(min(chance, 1)*1000+1e-9)/10, 'f', -1, 64) + " %"
}

// releases shows how a step's copies were released, then pictures of rounds.
func (h human) releases(operation string, s probe.Result) {
	if nothingReleased(s) {
		return
	}
	h.prose("", clean(s.Step)+" in "+clean(operation)+", how copies were released")
	h.releaseTable(s.Evidence)
	h.line("")
	h.pictures(s.Evidence.Pictures)
}

// releaseTable shows the kinds of release below each other, and where a table is
// too wide each by itself.
func (h human) releaseTable(e probe.Evidence) {
	if len(e.Releases) == 0 {
		return
	}
	rows := [][]string{releaseColumns}
	for _, r := range e.Releases {
		rows = append(rows, releaseRow(r))
	}
	if lines := columned(rows); width(lines)+2 <= h.width() {
		for _, line := range lines {
			h.line("  %s", line)
		}
		h.prose("  ", releaseLegend)
	} else {
		h.releaseList(e.Releases)
	}
	for _, line := range aboutReleases(e) {
		h.prose("  "+line[0]+": ", line[1])
	}
}

// aboutReleases is what else there is to say of a step's releases, each with
// the word for it.
func aboutReleases(e probe.Evidence) [][2]string {
	var out [][2]string
	for _, text := range brokenRounds(e.Releases) {
		out = append(out, [2]string{"promise broken", text})
	}
	for _, text := range uncounted(e.Releases) {
		out = append(out, [2]string{"not counted", text})
	}
	for _, text := range powers(e.Powers) {
		out = append(out, [2]string{"power", text})
	}
	return out
}

func (h human) releaseList(releases []probe.Release) {
	for _, r := range releases {
		v := releaseRow(r)
		h.prose("  ", kindOf(r))
		h.prose("    ", v[4]+" rounds overlapped, on "+v[3]+" "+plainly(r.Connections[1], "connection"))
		h.prose("    ", "spread "+v[5]+", largest "+v[6]+"; answer "+v[7]+", longest "+v[8])
	}
}

// columned lines rows up, two spaces between columns.
func columned(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width([]string{cell}))
		}
	}
	lines := make([]string, len(rows))
	for k, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(pad(cell, widths[i]+2))
		}
		lines[k] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
