package canon

import (
	"cmp"
	"slices"
	"sort"
)

// object is a closed object whose members are not in order yet: its place in
// the output, from the beginning of this text, and its members, sorted, in
// Writer.kept, or its own where it is the outermost.
type object struct {
	start, end  int
	first, last int
	own         []member
}

// final puts all large objects in order, in one pass over the output: every
// byte is copied once, whatever the nesting.
func (w *Writer) final(out []byte, base int) {
	slices.SortFunc(w.later, func(a, b object) int { return cmp.Compare(a.start, b.start) })
	t := tidy{w: w, out: out, base: base, to: slices.Grow(w.spare[:0], len(out))}
	t.part(0, len(out), 0)
	w.spare = t.to
	w.moved += copy(out, t.to)
	w.later[0].own = nil // it may be huge
}

type tidy struct {
	w    *Writer
	out  []byte
	base int
	to   []byte
}

// part copies a part of the output, the objects within it in order. Those that
// begin in it are at next and behind it. Its depth is that of the text, which
// MaxDepth bounds.
func (t *tidy) part(from, end, next int) {
	later := t.w.later
	for next < len(later) && later[next].start < end {
		o := &later[next]
		t.to = append(t.to, t.out[from:o.start+1]...)
		members := o.own
		if members == nil {
			members = t.w.kept[o.first:o.last]
		}
		for i, m := range members {
			if i > 0 {
				t.to = append(t.to, ',')
			}
			start, end := m.start-t.base, m.end-t.base
			t.part(start, end, t.behind(next+1, start))
		}
		from = o.end - 1
		next = t.behind(next+1, o.end)
	}
	t.to = append(t.to, t.out[from:end]...)
}

// behind finds the first object at or behind a place, of those from next on.
// Mostly it is the next.
func (t *tidy) behind(next, place int) int {
	later := t.w.later
	if next == len(later) || later[next].start >= place {
		return next
	}
	return next + sort.Search(len(later)-next, func(i int) bool { return later[next+i].start >= place })
}
