// Package canon writes JSON texts in their canonical form (RFC 8785), in one
// pass over the text and without allocating once its buffers have grown.
//
// It reads top to bottom like this: canon.go goes over a text and writes it in
// the order it came; text.go, number.go and shortest.go write its strings and
// numbers; order.go and wide.go sort the members of the objects that need it;
// final.go puts large objects in order, all in one last pass, so that the work
// stays linear however deep they are nested. find.go finds values in what was
// written, and buffer.go keeps buffers from text to text.
//
// Only a text that is free of doubt is written (determ-v1, Admission and
// numbers). Why one is refused is not told here: that is rare, and the reader
// who tells it, with the place, goes over the text again.
package canon

// Outcome is what became of a text.
type Outcome int

// Outcomes.
const (
	Refused Outcome = iota // not one unambiguous JSON text
	Lossy                  // written, but some number is not numerically equal to its literal any more
	Exact                  // written, every number equal to its literal
)

// MaxDepth is how many arrays and objects may stand inside one another.
const MaxDepth = 1000

// Writer writes canonical forms. It keeps its buffers from text to text, so
// that they are made once; the zero value is ready. It is not safe for
// concurrent use.
type Writer struct {
	// Depth is how many arrays and objects may stand inside one another where
	// that is more, or less, than MaxDepth; 0 is MaxDepth.
	Depth int

	frames  []frame
	members []member // of the objects that are open, outermost first
	later   []object // closed, to be put in order in the last pass
	kept    []member // theirs, in order
	spare   []byte
	sorter  sorter
	ranked  [few]member // what rank gives

	// deferFrom is the size in bytes from which an object is put in order in
	// the last pass; 0 is the usual. Tests lower and raise it.
	deferFrom int
	moved     int // bytes copied to put members in order, in the last text
	stopped   int // where the last text was refused
}

// usualDefer: a smaller object is moved within what the first cache holds.
const usualDefer = 1 << 10

// frame is one array or object that is open.
type frame struct {
	start   int // of its bracket in the output
	first   int // of its members, an index into Writer.members; -1 for an array
	ordered bool
}

// slack is how much room beyond the rest of the text the output has at any
// time. A string is never longer than it came, and is written eight bytes at a
// time; a number may grow to maxNumber.
const slack = maxNumber + 8

// Append appends the canonical form of a text to dst. Where the text is
// refused dst comes back as it was, though the room behind it has been written
// to. dst and src must not overlap. Memory is about twice the text beyond dst
// itself.
func (w *Writer) Append(dst, src []byte) ([]byte, Outcome) {
	if w.Depth == 0 {
		w.Depth = MaxDepth
	}
	if w.deferFrom == 0 {
		w.deferFrom = usualDefer
	}
	w.frames, w.members = reused(w.frames, mostElements), reused(w.members, mostElements)
	w.later, w.kept = reused(w.later, mostElements), reused(w.kept, mostElements)
	w.spare, w.moved, w.sorter.looked = Reused(w.spare), 0, 0
	p := pass{Writer: w, src: src, base: len(dst), outcome: Exact}
	p.out = grown(dst, len(src)+slack)
	p.n = len(dst)
	if !p.whole() {
		w.stopped = p.at
		return dst, Refused
	}
	out := p.out[:p.n]
	if len(w.later) > 0 {
		w.final(out[p.base:], p.base)
	}
	return out, p.outcome
}

// Stopped gives about where the last text that was refused is wrong: what goes
// before is right as far as it goes, and the value, name or bracket that begins
// there, or just before, is at fault.
func (w *Writer) Stopped() int { return w.stopped }

// pass is one going over one text.
type pass struct {
	*Writer
	src     []byte
	at      int // in src
	out     []byte
	n       int // written of out
	base    int // where this text begins in out
	outcome Outcome
}

// whole writes one value and sees that nothing follows it. The loop takes the
// place of recursion: depth costs no stack and no call.
func (p *pass) whole() bool {
	for {
		if !p.space() {
			return false
		}
		opened, ok := p.value()
		if !ok {
			return false
		}
		if opened {
			continue
		}
		done, ok := p.after()
		if !ok {
			return false
		}
		if done {
			return !p.space() // only the end may follow
		}
	}
}

// space skips white space and says whether something follows.
func (p *pass) space() bool {
	src, i := p.src, p.at
	for i < len(src) {
		if c := src[i]; c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			p.at = i
			return true
		}
		i++
	}
	p.at = i
	return false
}

// value writes the value that begins at p.at, where something stands. An array
// or object that is not empty is opened, up to its first value.
func (p *pass) value() (opened, ok bool) {
	switch c := p.src[p.at]; c {
	case '"':
		_, ok = p.text()
		return false, ok
	case '{':
		return p.open(c)
	case '[':
		return p.open(c)
	case 't':
		return false, p.word("true")
	case 'f':
		return false, p.word("false")
	case 'n':
		return false, p.word("null")
	}
	return false, p.number()
}

func (p *pass) word(w string) bool {
	if len(p.src)-p.at < len(w) || string(p.src[p.at:p.at+len(w)]) != w {
		return false
	}
	copy(p.out[p.n:], w)
	p.at += len(w)
	p.n += len(w)
	return true
}

func (p *pass) put(c byte) {
	p.out[p.n] = c
	p.n++
}

// open opens an array or object. An empty one is closed at once.
func (p *pass) open(c byte) (opened, ok bool) {
	if len(p.frames) == p.Depth {
		return false, false
	}
	start := p.n
	p.put(c)
	p.at++
	if !p.space() {
		return false, false
	}
	if p.src[p.at] == c+2 { // ']' after '[', '}' after '{'
		p.put(c + 2)
		p.at++
		return false, true
	}
	if c == '[' {
		p.frames = append(p.frames, frame{start: start, first: -1})
		return true, true
	}
	p.frames = append(p.frames, frame{start: start, first: len(p.members), ordered: true})
	return true, p.name()
}

// name writes a member's name and its colon.
func (p *pass) name() bool {
	if p.src[p.at] != '"' {
		return false
	}
	start := p.n
	escaped, ok := p.text()
	if !ok || !p.space() || p.src[p.at] != ':' {
		return false
	}
	quoted := uint32(p.n - 1 - start)
	if int(quoted) != p.n-1-start {
		return false // a name of 4 GiB
	}
	m := member{start: start, quoted: quoted, escaped: escaped}
	m.prefix = p.prefix(&m)
	if len(p.members) == cap(p.members) && len(p.members) >= many {
		p.foresee()
	}
	p.members = append(p.members, m)
	p.at++
	p.put(':')
	return true
}

// after goes on behind a value: to the next one, closing what ends there. Done
// says that the outermost value has ended.
func (p *pass) after() (done, ok bool) {
	for len(p.frames) > 0 {
		if !p.space() {
			return false, false
		}
		f := &p.frames[len(p.frames)-1]
		c := p.src[p.at]
		p.at++
		if f.first < 0 {
			switch c {
			case ',':
				p.put(',')
				return false, true
			case ']':
				p.put(']')
				p.frames = p.frames[:len(p.frames)-1]
				continue
			}
			return false, false
		}
		if !p.ended(f) {
			return false, false
		}
		switch c {
		case ',':
			p.put(',')
			return false, p.space() && p.name()
		case '}':
			p.put('}')
			if !f.ordered && !p.order(f) {
				return false, false
			}
			p.members = p.members[:f.first]
			p.frames = p.frames[:len(p.frames)-1]
			continue
		}
		return false, false
	}
	return true, true
}

// ended notes where the last member ends, and whether it stands where it
// belongs. Names must differ.
func (p *pass) ended(f *frame) bool {
	last := len(p.members) - 1
	m := &p.members[last]
	m.end = p.n
	if last == f.first || !f.ordered {
		return true
	}
	before := &p.members[last-1]
	if before.prefix < m.prefix {
		return true
	}
	if before.prefix > m.prefix {
		f.ordered = false
		return true
	}
	switch c := compareNames(p.out, before, m); {
	case c > 0:
		f.ordered = false
	case c == 0:
		return false
	}
	return true
}
