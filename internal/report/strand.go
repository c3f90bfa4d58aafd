package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// strand is a line of a picture: one copy, or several that got the same.
type strand struct {
	first  probe.Pictured // of them, by answer
	copies int
	mixed  bool             // they got different things
	writes [2]time.Duration // from the first that was begun to the last that was ended
	ended  [2]time.Duration // the first and the last that was ended
	answer [2]time.Duration // from the first one's first byte to the last one's last
	bytes  [2]time.Duration // the first and the last of their first bytes
}

// strands gives the lines of a picture, in order of answers. Few copies have a
// line each; of many, those that got the same at about the same time share one.
func strands(copies []probe.Pictured, span float64) []strand {
	copies = slices.Clone(copies)
	slices.SortStableFunc(copies, func(a, b probe.Pictured) int {
		return cmp.Or(cmp.Compare(silent(a), silent(b)), cmp.Compare(a.FirstByte, b.FirstByte), cmp.Compare(a.Copy, b.Copy))
	})
	var out []strand
	for _, c := range copies {
		i := -1
		if len(copies) > apartMost {
			i = slices.IndexFunc(out, func(s strand) bool { return s.takes(c, span) })
		}
		if i < 0 && len(out) == mostRows {
			i = mostRows - 1
			out[i].mixed = true
		}
		if i < 0 {
			out = append(out, strandOf(c))
			continue
		}
		out[i].add(strandOf(c))
	}
	return out
}

// silent orders copies that got nothing behind the others.
func silent(c probe.Pictured) int {
	switch {
	case !c.Written:
		return 2
	case !c.Answered:
		return 1
	}
	return 0
}

func strandOf(c probe.Pictured) strand {
	s := strand{first: c, copies: 1}
	s.ended = [2]time.Duration{max(c.WriteBegan, c.WriteEnded), max(c.WriteBegan, c.WriteEnded)}
	s.writes = [2]time.Duration{c.WriteBegan, s.ended[1]}
	s.answer = [2]time.Duration{c.LastByte, c.LastByte}
	if c.Answered {
		s.bytes = [2]time.Duration{c.FirstByte, c.FirstByte}
		s.answer = [2]time.Duration{c.FirstByte, max(c.FirstByte, c.LastByte)}
	}
	return s
}

// whole says that whole answers came.
func (s strand) whole() bool { return s.first.Answered && (s.first.Status != 0 || s.mixed) }

// takes says that a copy got what the strand's did, at about the same time.
func (s strand) takes(c probe.Pictured, span float64) bool {
	f := s.first
	return !s.mixed && f.Status == c.Status && f.Class == c.Class && f.Written == c.Written && f.Whole == c.Whole &&
		f.Answered == c.Answered && f.Hold == c.Hold && f.Instance == c.Instance &&
		(!c.Answered || float64(c.FirstByte)-float64(s.bytes[1]) <= span/splitParts)
}

func (s *strand) add(o strand) {
	s.copies += o.copies
	for _, both := range []struct{ all, more *[2]time.Duration }{
		{&s.writes, &o.writes}, {&s.ended, &o.ended}, {&s.answer, &o.answer}, {&s.bytes, &o.bytes}} {
		both.all[0], both.all[1] = min(both.all[0], both.more[0]), max(both.all[1], both.more[1])
	}
}

// label names the copies of a line as people count them, from 1.
func (s strand) label() string {
	if s.copies > 1 {
		return fmt.Sprintf("%d copies", s.copies)
	}
	return fmt.Sprintf("copy %d", s.first.Copy+1)
}

// got says what became of the copies: "201, won", "409, in flight", "no answer".
// Of a release that was held it says which copies were not, and of one that
// several instances answered by which.
func (s strand) got(held, several bool) string {
	c := s.first
	if s.mixed {
		return "different answers"
	}
	var parts []string
	if c.Status != 0 {
		parts = append(parts, fmt.Sprint(c.Status))
	}
	if c.Class != "" {
		parts = append(parts, cut(clean(c.Class), bodyMost))
	}
	if several && c.Instance != "" {
		parts = append(parts, "by "+cut(clean(c.Instance), nameMost))
	}
	switch {
	case !c.Written:
		parts = append(parts, "not written")
	case !c.Whole:
		parts = append(parts, "partly written")
	case held && c.Hold == "":
		parts = append(parts, "not held")
	}
	return strings.Join(parts, ", ")
}

// written and answered are the times of a line as numbers: of the last byte of
// each request, and of the first byte of each answer.
func (s strand) written() string {
	if !s.first.Written {
		return "-"
	}
	return briefRange(s.ended[0], s.ended[1])
}

func (s strand) answered() string {
	if !s.first.Answered {
		return "-"
	}
	return briefRange(s.bytes[0], s.bytes[1])
}

// bar draws a line's copies on so many characters. Where marks fall into one
// place the later one stands.
func (s strand) bar(a axis, n int) string {
	cells := []byte(strings.Repeat(" ", n))
	put := func(from, to int, mark byte) {
		for i := max(from, 0); i <= min(to, n-1); i++ {
			cells[i] = mark
		}
	}
	c := s.first
	if !c.Written && !c.Answered {
		return string(cells)
	}
	begun, ended := a.column(s.writes[0], n), a.column(s.writes[1], n)
	from, to := a.column(s.answer[0], n), a.column(s.answer[1], n)
	if !c.Answered && c.LastByte <= 0 { // not known to have ended
		from, to = n, n
	}
	if c.Written {
		put(ended+1, from-1, '.')
		put(begun, ended, 'w')
	} else {
		begun, ended = from, to
	}
	switch {
	case s.whole() && from == to:
		put(to, to, '*')
	case c.Answered:
		put(from, to, '=')
		put(from, from, '(')
	}
	switch {
	case !s.whole():
		put(to, to, 'x')
	case from < to:
		put(to, to, ')')
	}
	if max(ended, to) == n && (c.Answered || c.LastByte > 0 || ended == n) {
		cells[n-1] = '>'
	}
	if min(begun, from) < 0 {
		cells[0] = '<'
	}
	return string(cells)
}
