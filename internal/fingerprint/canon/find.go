package canon

import (
	"bytes"
	"slices"
	"strconv"
)

// Finder finds values in canonical texts by their paths: many texts, always
// the same paths. It is safe for concurrent use.
type Finder struct {
	root  node
	paths int
}

// Span is where a value stands in a text; zero where there is none.
type Span struct{ Start, End int }

// node is one place on the way to the values that are looked for.
type node struct {
	ends   []int // the paths that end here
	names  []child
	within int // paths that end here or below
}

type child struct {
	name  []byte // as it stands in a canonical text, quotes included
	index int    // of an array's item; -1 where the token is none
	node  *node
}

// NewFinder makes a finder. A path is the tokens of a JSON Pointer, unescaped
// (RFC 6901, 4).
func NewFinder(paths [][]string) *Finder {
	f := &Finder{paths: len(paths)}
	for i, path := range paths {
		n := &f.root
		n.within++
		for _, token := range path {
			n = n.take(token)
			n.within++
		}
		n.ends = append(n.ends, i)
	}
	return f
}

func (n *node) take(token string) *node {
	name := AppendString(nil, token)
	for _, c := range n.names {
		if bytes.Equal(c.name, name) {
			return c.node
		}
	}
	index := -1
	if i, err := strconv.Atoi(token); err == nil && strconv.Itoa(i) == token {
		index = i
	}
	n.names = append(n.names, child{name: name, index: index, node: &node{}})
	return n.names[len(n.names)-1].node
}

// Find gives where the values are, in the order of the paths. spans is used
// again where it has room. The text must be canonical.
func (f *Finder) Find(text []byte, spans []Span) []Span {
	spans = slices.Grow(spans[:0], f.paths)[:f.paths]
	clear(spans)
	s := search{text: text, spans: spans, left: f.paths}
	s.in(&f.root, 0)
	return spans
}

type search struct {
	text  []byte
	spans []Span
	left  int // paths that are not found yet
}

// in looks into the value at a place and gives where it ends, -1 where nothing
// is left to be found.
func (s *search) in(n *node, at int) int {
	end := 0
	if c := s.text[at]; len(n.names) == 0 || c != '{' && c != '[' {
		end = skip(s.text, at)
	} else if end = s.inside(n, at, c); end < 0 && len(n.ends) == 0 {
		return -1
	} else if end < 0 {
		end = skip(s.text, at)
	}
	for _, i := range n.ends {
		s.spans[i] = Span{at, end}
		s.left--
	}
	if s.left == 0 {
		return -1
	}
	return end
}

// inside goes over the members or items of the value at a place.
func (s *search) inside(n *node, at int, kind byte) int {
	if s.text[at+1] == kind+2 {
		return at + 2
	}
	for i := 0; ; i++ {
		at++
		var to *node
		if kind == '{' {
			end := skipString(s.text, at)
			to = n.named(s.text[at:end])
			at = end + 1
		} else {
			to = n.item(i)
		}
		if to != nil {
			at = s.in(to, at)
		} else {
			at = skip(s.text, at)
		}
		if at < 0 || s.text[at] == kind+2 {
			break
		}
	}
	if at < 0 {
		return -1
	}
	return at + 1
}

func (n *node) named(name []byte) *node {
	for i := range n.names {
		if bytes.Equal(n.names[i].name, name) {
			return n.names[i].node
		}
	}
	return nil
}

func (n *node) item(i int) *node {
	for k := range n.names {
		if n.names[k].index == i {
			return n.names[k].node
		}
	}
	return nil
}

// skip gives where the value at a place ends.
func skip(text []byte, at int) int {
	switch text[at] {
	case '"':
		return skipString(text, at)
	case '{', '[':
		depth := 0
		for {
			switch text[at] {
			case '"':
				at = skipString(text, at)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
			at++
		}
	}
	for at < len(text) && text[at] != ',' && text[at] != '}' && text[at] != ']' {
		at++
	}
	return at
}

// skipString gives where the string at a place ends.
func skipString(text []byte, at int) int {
	for at++; ; at++ {
		at += bytes.IndexByte(text[at:], '"')
		slashes := 0
		for text[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1
		}
	}
}
