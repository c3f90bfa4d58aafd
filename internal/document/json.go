package document

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/problem"
)

// parseJSON reads RFC 8259 text. syntax says that the text is no JSON at all,
// so that it may still be YAML; other errors (a duplicate name, a lone
// surrogate) stand in either.
func parseJSON(file string, src []byte) (n *Node, syntax bool, err error) {
	r := &jsonReader{file: file, src: src, line: 1}
	r.space()
	n, err = r.value(1)
	if err == nil {
		if r.space(); r.pos < len(src) {
			err = r.bad(r.pos, "text after the end of the JSON value")
		}
	}
	if err != nil {
		return nil, r.syntax, err
	}
	return n, false, nil
}

// jsonReader is a recursive-descent reader over valid UTF-8.
type jsonReader struct {
	file   string
	src    []byte
	pos    int
	line   int // of pos
	marked int // an offset on that line, its start or later
	column int // characters from the line's start to marked
	syntax bool
}

// bad is a syntax error at an offset.
func (r *jsonReader) bad(offset int, format string, args ...any) error {
	r.syntax = true
	return problem.New(place(r.file, r.src, offset), format, args...)
}

func (r *jsonReader) space() {
	for r.pos < len(r.src) {
		switch r.src[r.pos] {
		case '\n':
			r.line++
			r.marked, r.column = r.pos+1, 0
		case ' ', '\t', '\r':
		default:
			return
		}
		r.pos++
	}
}

// next gives the byte at the position after white space, 0 at the end.
func (r *jsonReader) next() byte {
	r.space()
	if r.pos == len(r.src) {
		return 0
	}
	return r.src[r.pos]
}

func (r *jsonReader) node(kind Kind) *Node {
	line, column := r.here()
	return &Node{Kind: kind, File: r.file, Line: line, Column: column}
}

// here counts on from where it counted last: one pass, however long the line.
func (r *jsonReader) here() (line, column int) {
	r.column += utf8.RuneCount(r.src[r.marked:r.pos])
	r.marked = r.pos
	return r.line, r.column + 1
}

func (r *jsonReader) value(depth int) (*Node, error) {
	if r.pos == len(r.src) {
		return nil, r.bad(r.pos, "the JSON text ends where a value should stand")
	}
	switch c := r.src[r.pos]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		n := r.node(String)
		var err error
		n.Text, err = r.text()
		return n, err
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	for _, word := range [...]string{"null", "true", "false"} {
		if !bytes.HasPrefix(r.src[r.pos:], []byte(word)) {
			continue
		}
		n := r.node(Null)
		if word != "null" {
			n.Kind, n.Text = Bool, word
		}
		r.pos += len(word)
		return n, nil
	}
	return nil, r.bad(r.pos, "a JSON value should stand here")
}

// number takes the longest literal of RFC 8259 section 6.
func (r *jsonReader) number() (*Node, error) {
	n := r.node(Number)
	end := r.pos
	for end < len(r.src) && strings.IndexByte("+-.eE0123456789", r.src[end]) >= 0 {
		end++
	}
	n.Text = string(r.src[r.pos:end])
	if !isJSONNumber(n.Text) {
		return nil, r.bad(r.pos, "not a JSON number")
	}
	r.pos = end
	return n, nil
}

func (r *jsonReader) array(depth int) (*Node, error) {
	n := r.node(Array)
	if depth > MaxDepth {
		return nil, n.Errorf("nested deeper than %d", MaxDepth)
	}
	r.pos++
	if r.next() == ']' {
		r.pos++
		return n, nil
	}
	for {
		r.space()
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
		switch r.next() {
		case ',':
			r.pos++
		case ']':
			r.pos++
			return n, nil
		default:
			return nil, r.bad(r.pos, "a comma or ] should stand here")
		}
	}
}

func (r *jsonReader) object(depth int) (*Node, error) {
	n := r.node(Object)
	if depth > MaxDepth {
		return nil, n.Errorf("nested deeper than %d", MaxDepth)
	}
	r.pos++
	if r.next() == '}' {
		r.pos++
		return n, nil
	}
	names := newNames(r.file)
	for {
		if r.next() != '"' {
			return nil, r.bad(r.pos, "a name in double quotes should stand here")
		}
		m := Member{}
		m.Line, m.Column = r.here()
		var err error
		if m.Name, err = r.text(); err != nil {
			return nil, err
		}
		if err := names.add(m); err != nil {
			return nil, err
		}
		if r.next() != ':' {
			return nil, r.bad(r.pos, "a colon should stand here")
		}
		r.pos++
		r.space()
		if m.Value, err = r.value(depth + 1); err != nil {
			return nil, err
		}
		n.Members = append(n.Members, m)
		switch r.next() {
		case ',':
			r.pos++
		case '}':
			r.pos++
			return n, nil
		default:
			return nil, r.bad(r.pos, "a comma or } should stand here")
		}
	}
}

// text reads a string, the position being at its opening quote.
func (r *jsonReader) text() (string, error) {
	open := r.pos
	r.pos++
	run := r.pos
	var b []byte
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c == '"':
			b = append(b, r.src[run:r.pos]...)
			r.pos++
			return string(b), nil
		case c == '\\':
			b = append(b, r.src[run:r.pos]...)
			var err error
			if b, err = r.escape(b); err != nil {
				return "", err
			}
			run = r.pos
		case c < 0x20:
			return "", r.bad(r.pos, "a raw control character (0x%02X) in a JSON string", c)
		default:
			r.pos++
		}
	}
	return "", r.bad(open, "a string that does not end")
}

// escape reads one escape sequence, a surrogate pair as one.
func (r *jsonReader) escape(b []byte) ([]byte, error) {
	at := r.pos
	if at+1 == len(r.src) {
		return nil, r.bad(at, "a string that does not end")
	}
	c := r.src[at+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		r.pos += 2
		return append(b, "\"\\/\b\f\n\r\t"[i]), nil
	}
	unit, ok := r.unit(at)
	if !ok {
		return nil, r.bad(at, "not an escape sequence of JSON")
	}
	r.pos += 6
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(b, unit), nil
	}
	if low, ok := r.unit(r.pos); ok {
		if pair := utf16.DecodeRune(unit, low); pair != utf8.RuneError {
			r.pos += 6
			return utf8.AppendRune(b, pair), nil
		}
	}
	return nil, problem.New(place(r.file, r.src, at), "a lone surrogate (\\u%04x) in a string", unit)
}

// unit reads \uXXXX at an offset.
func (r *jsonReader) unit(at int) (rune, bool) {
	if at+6 > len(r.src) || r.src[at] != '\\' || r.src[at+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(r.src[at+2:at+6]), 16, 16)
	return rune(v), err == nil
}

// names refuses the second of two equal names in one object.
type names struct {
	file string
	seen map[string]int // name to line
}

func newNames(file string) *names { return &names{file: file, seen: map[string]int{}} }

func (s *names) add(m Member) error {
	if first, ok := s.seen[m.Name]; ok {
		return problem.New(at(s.file, m.Line, m.Column), "duplicate name %s, first on line %d", Show(m.Name), first).
			WithHint("keep one of the two")
	}
	s.seen[m.Name] = m.Line
	return nil
}
