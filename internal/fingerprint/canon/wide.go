package canon

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// sorter sorts the members of wide objects by eight bytes of their names at a
// time: what all of them begin with is left out, then those that the eight
// bytes do not tell apart are sorted by the next. So every byte of the names is
// looked at a few times at most, however they are chosen. Names with escapes,
// of which no eight bytes show the order, are compared instead.
type sorter struct {
	text    []byte
	members []member
	keys    []key
	other   []key // for passes that move keys from one place to another
	looked  int   // bytes of names that were looked at, in the last text
}

// key stands for a member while it is sorted.
type key struct {
	prefix uint64
	at     int // in members
}

// sort sorts members by name and says whether all names differ.
func (s *sorter) sort(members []member, text []byte) bool {
	for i := range members {
		if members[i].escaped {
			return sortEscaped(members, text)
		}
	}
	s.text, s.members = text, members
	s.keys, s.other = reused(s.keys, mostElements), reused(s.other, mostElements)
	if cap(s.keys) < len(members) {
		s.keys = make([]key, 0, len(members))
	}
	for i := range members {
		s.keys = append(s.keys, key{at: i})
	}
	differ := s.part(s.keys, 0)
	if differ {
		s.move()
	}
	s.text, s.members = nil, nil
	return differ
}

// move puts every member where its key stands, without room for them all: each
// round of places that give theirs to one another is gone through once.
func (s *sorter) move() {
	const done = -1
	for i := range s.keys {
		if s.keys[i].at == done {
			continue
		}
		first, to := s.members[i], i
		for from := s.keys[to].at; from != i; from = s.keys[to].at {
			s.members[to], s.keys[to].at = s.members[from], done
			to = from
		}
		s.members[to], s.keys[to].at = first, done
	}
}

// sortEscaped is sort where names have escapes, which no eight bytes show.
func sortEscaped(members []member, text []byte) bool {
	slices.SortFunc(members, func(a, b member) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return compareNames(text, &a, &b)
	})
	for i := 1; i < len(members); i++ {
		if members[i-1].prefix == members[i].prefix && compareNames(text, &members[i-1], &members[i]) == 0 {
			return false
		}
	}
	return true
}

func (s *sorter) name(k key) []byte {
	return s.members[k.at].name(s.text)
}

// part sorts keys whose names are the same up to skip.
func (s *sorter) part(keys []key, skip int) bool {
	skip = s.alike(keys, skip)
	s.looked += 8 * len(keys)
	for i := range keys {
		keys[i].prefix = s.window(keys[i], skip)
	}
	s.byPrefix(keys)
	for i := 0; i < len(keys); {
		j := i + 1
		for j < len(keys) && keys[j].prefix == keys[i].prefix {
			j++
		}
		if j-i > 1 {
			// No name without escapes has a zero in it: where one ends here, all do.
			if len(s.name(keys[i])) < skip+8 || !s.part(keys[i:j], skip+8) {
				return false
			}
		}
		i = j
	}
	return true
}

// alike is how many bytes all names begin with alike, known to be skip or more.
// It looks no further ahead than it has come: names of which one parts from the
// others early would cost their whole length each time.
func (s *sorter) alike(keys []key, skip int) int {
	for ahead := 32; ; ahead *= 2 {
		first := s.name(keys[0])[skip:]
		first = first[:min(ahead, len(first))]
		for _, k := range keys[1:] {
			s.looked += len(first)
			if first = first[:common(first, s.name(k)[skip:])]; len(first) == 0 {
				break
			}
		}
		if skip += len(first); len(first) < ahead {
			return skip
		}
	}
}

// window gives eight bytes of a name, in the order of UTF-16. The text has as
// many bytes of room behind every name.
func (s *sorter) window(k key, skip int) uint64 {
	m := &s.members[k.at]
	from := m.start + 1 + skip
	w := binary.BigEndian.Uint64(s.text[from:])
	if have := int(m.quoted) - 1 - skip; have < 8 {
		w &^= 1<<(64-8*have) - 1
	}
	return weighed(w)
}

// fewKeys is up to how many keys are compared with each other; more are dealt
// out byte by byte.
const fewKeys = 128

func (s *sorter) byPrefix(keys []key) {
	if len(keys) <= fewKeys {
		slices.SortFunc(keys, func(a, b key) int { return cmp.Compare(a.prefix, b.prefix) })
		return
	}
	var counts [8][256]int
	for _, k := range keys {
		for b := range counts {
			counts[b][byte(k.prefix>>(8*b))]++
		}
	}
	if cap(s.other) < len(keys) {
		s.other = make([]key, len(keys))
	}
	from, to := keys, s.other[:len(keys)]
	for b := range counts {
		shift := 8 * b
		if counts[b][byte(from[0].prefix>>shift)] == len(keys) {
			continue // all have the same byte here
		}
		sum := 0
		for i, n := range counts[b] {
			counts[b][i] = sum
			sum += n
		}
		for _, k := range from {
			at := &counts[b][byte(k.prefix>>shift)]
			to[*at] = k
			*at++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}
