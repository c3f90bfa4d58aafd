package canon

import (
	"cmp"
	"encoding/binary"
	"math/bits"
)

// member is one member of an object, in the output.
type member struct {
	prefix  uint64 // of its name, in the order of UTF-16
	start   int    // of the name's quote
	end     int    // where the value ends
	quoted  uint32 // bytes from there to the name's closing quote
	escaped bool   // the name has escapes in its canonical form
}

// name gives the member's name as it stands in the text.
func (m *member) name(text []byte) []byte { return text[m.start+1 : m.start+int(m.quoted)] }

// Names are in the order of their UTF-16 code units (RFC 8785, 3.2.3). That of
// their UTF-8 bytes differs in one place: U+E000 to U+FFFF, which begin with EE
// and EF, stand above what takes surrogates, which begins with F0 to F4.

// weight of a byte in the order of UTF-16.
func weight(c byte) byte {
	switch {
	case c < 0xEE:
		return c
	case c >= 0xF0:
		return c - 2
	}
	return c + 5
}

// CompareNames compares two names, unescaped and in UTF-8, as they are ordered.
func CompareNames(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(weight(a[i]), weight(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// prefix gives the first eight bytes of a name by their weight, shorter names
// filled up with zeros.
func (p *pass) prefix(m *member) uint64 {
	name := m.name(p.out)
	if m.escaped {
		return escapedPrefix(name)
	}
	if len(name) < 8 {
		// The output has eight bytes of room behind the name.
		w := binary.BigEndian.Uint64(p.out[m.start+1:])
		w &^= 1<<(64-8*len(name)) - 1
		return weighed(w)
	}
	return weighed(binary.BigEndian.Uint64(name))
}

func escapedPrefix(name []byte) uint64 {
	var b [8]byte
	for i := 0; i < len(b) && len(name) > 0; i++ {
		c, size := firstOf(name)
		b[i], name = c, name[size:]
	}
	return weighed(binary.BigEndian.Uint64(b[:]))
}

func weighed(w uint64) uint64 {
	if w&highs == 0 {
		return w
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], w)
	for i := range b {
		b[i] = weight(b[i])
	}
	return binary.BigEndian.Uint64(b[:])
}

// firstOf gives the first byte of a name that is not empty, without its
// escape, and how many bytes of the name that takes.
func firstOf(name []byte) (c byte, size int) {
	if name[0] != '\\' {
		return name[0], 1
	}
	switch c = name[1]; c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return (hexValue[name[4]]-1)<<4 | (hexValue[name[5]] - 1), 6
	}
	return c, 2
}

// compareNames compares whole names; text is what their places are in.
func compareNames(text []byte, a, b *member) int {
	x, y := a.name(text), b.name(text)
	if a.escaped || b.escaped {
		return compareEscaped(x, y)
	}
	n := common(x, y)
	if n == len(x) || n == len(y) {
		return cmp.Compare(len(x), len(y))
	}
	return cmp.Compare(weight(x[n]), weight(y[n]))
}

// compareEscaped compares names that have escapes. Every character has one
// canonical spelling, so names are alike as far as their spellings are.
func compareEscaped(x, y []byte) int {
	n := common(x, y)
	if n == len(x) || n == len(y) {
		return cmp.Compare(len(x), len(y))
	}
	n = escapeStart(x, n)
	c, _ := firstOf(x[n:])
	d, _ := firstOf(y[n:])
	return cmp.Compare(weight(c), weight(d))
}

// escapeStart gives where the escape begins that the byte at n of a name
// belongs to, without being its first; n where there is none. An escape is two
// bytes or, as \u00xx, six.
func escapeStart(name []byte, n int) int {
	for at := n - 1; at >= 0 && at >= n-5; at-- {
		if name[at] != '\\' || at < n-1 && name[at+1] != 'u' {
			continue
		}
		run := 1 // of backslashes: behind an even one nothing is escaped
		for run <= at && name[at-run] == '\\' {
			run++
		}
		if run%2 == 1 {
			return at
		}
	}
	return n
}

// common is how many bytes two names begin with alike.
func common(x, y []byte) int {
	n, i := min(len(x), len(y)), 0
	for ; i+8 <= n; i += 8 {
		if d := binary.LittleEndian.Uint64(x[i:]) ^ binary.LittleEndian.Uint64(y[i:]); d != 0 {
			return i + bits.TrailingZeros64(d)>>3
		}
	}
	for i < n && x[i] == y[i] {
		i++
	}
	return i
}

// few is how many members are ranked by comparing each with each: no branch of
// it depends on their order.
const few = 16

// order puts the members of a frame in order, now or in the last pass, and
// says whether their names differ.
func (p *pass) order(f *frame) bool {
	members, differ := p.sort(p.members[f.first:], p.out)
	if !differ {
		return false
	}
	if p.n-f.start >= p.deferFrom {
		o := object{start: f.start - p.base, end: p.n - p.base}
		if len(p.frames) == 1 && len(members) > few {
			o.own = members // nothing follows that would take their place
		} else {
			o.first = len(p.kept)
			p.kept = append(p.kept, members...)
			o.last = len(p.kept)
		}
		p.later = append(p.later, o)
		return true
	}
	b := p.spare[:0]
	p.moved += p.n - f.start
	for i := range members {
		m := &members[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, p.out[m.start:m.end]...)
	}
	p.spare = b
	copy(p.out[f.start+1:], b)
	return true
}

// sort gives members in the order of their names and says whether all names
// differ.
func (w *Writer) sort(members []member, text []byte) ([]member, bool) {
	if len(members) <= few {
		return w.rank(members, text)
	}
	return members, w.sorter.sort(members, text)
}

// rank gives a few members in order: the place of each is how many are below
// it. They stay where they are, what comes back is good until the next call.
func (w *Writer) rank(members []member, text []byte) ([]member, bool) {
	n := len(members) & (2*few - 1) // it is no more, and the bounds need no checks
	var prefixes [few]uint64
	var place [few]uint8
	for i := range n {
		prefixes[i&(few-1)] = members[i].prefix
	}
	for i := 1; i < n; i++ {
		x, below := prefixes[i&(few-1)], uint8(0)
		for j := range i {
			y := prefixes[j&(few-1)]
			above := x > y
			if x == y {
				c := compareNames(text, &members[i], &members[j])
				if c == 0 {
					return nil, false
				}
				above = c > 0
			}
			var one uint8
			if above {
				one = 1
			}
			below += one
			place[j&(few-1)] += 1 - one
		}
		place[i&(few-1)] = below
	}
	for i := range n {
		w.ranked[place[i&(few-1)]&(few-1)] = members[i]
	}
	return w.ranked[:n], true
}
