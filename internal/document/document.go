// Package document reads the files that people write for idem, recipes and
// contracts: JSON, or YAML 1.2 with the core schema, so strictly that no file
// means one thing to idem and another to its reader (determ-v1, The recipe
// file).
//
// One document, no anchors, aliases, merge keys or tags, no duplicate names,
// names that are strings, numbers spelled as JSON spells them and kept as
// they stand. Every node knows its file, line and column.
package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/problem"
)

const (
	// MaxSize is the most bytes that a file may have.
	MaxSize = 4 << 20
	// MaxDepth is how deep arrays and objects may nest.
	MaxDepth = 1000
)

// Kind is a JSON type.
type Kind int

// The JSON types.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the kind for people, with its article: "a string".
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "true or false"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Array:
		return "a list"
	case Object:
		return "an object"
	}
	return "nothing"
}

// Node is one value of a file.
type Node struct {
	Kind         Kind
	File         string   // the name that Parse was given
	Line, Column int      // from 1; columns count characters
	Text         string   // a String's text, a Number's literal, "true" or "false"
	Items        []*Node  // of an Array
	Members      []Member // of an Object, in the file's order, names unique
}

// Member is one name of an object with its value.
type Member struct {
	Name         string
	Line, Column int // where the name stands
	Value        *Node
}

// Parse reads one document. A file whose name ends in .json is JSON; any other
// is JSON where it reads as JSON from { or [ to its end, and YAML otherwise:
// readers of YAML know no surrogate pairs and take tabs ill. Errors are *problem.Error, Where is
// "file:line:column".
func Parse(file string, src []byte) (*Node, error) {
	if len(src) > MaxSize {
		return nil, problem.New(file, "the file has more than %d bytes", MaxSize)
	}
	if err := checkEncoding(file, src); err != nil {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(file), ".json") {
		n, _, err := parseJSON(file, src)
		return n, err
	}
	if first := bytes.TrimLeft(src, " \t\r\n"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		n, syntax, err := parseJSON(file, src)
		if err == nil || !syntax {
			return n, err
		}
		// Tabs are what tells JSON from YAML here: a text that has both tabs and
		// quoted names was meant as JSON, and what is wrong with that is to be told.
		if bytes.IndexByte(src, '\t') >= 0 && quotesFirst(first[1:]) {
			return nil, err
		}
	}
	return parseYAML(file, src)
}

func quotesFirst(src []byte) bool {
	src = bytes.TrimLeft(src, " \t\r\n")
	return len(src) > 0 && src[0] == '"'
}

// At gives "file:line:column".
func (n *Node) At() string { return at(n.File, n.Line, n.Column) }

// Errorf makes a problem that stands where the node stands.
func (n *Node) Errorf(format string, args ...any) *problem.Error {
	return problem.New(n.At(), format, args...)
}

// Lookup gives the value of an object's member, nil where there is none or
// the node is no object.
func (n *Node) Lookup(name string) *Node {
	if m := n.Member(name); m != nil {
		return m.Value
	}
	return nil
}

// Member gives an object's member, nil where there is none.
func (n *Node) Member(name string) *Member {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return &n.Members[i]
		}
	}
	return nil
}

// JSON writes the value as compact JSON text: members in the file's order,
// number literals as they stand.
func (n *Node) JSON() []byte { return n.appendJSON(nil) }

func (n *Node) appendJSON(b []byte) []byte {
	switch n.Kind {
	case Null:
		return append(b, "null"...)
	case Bool, Number:
		return append(b, n.Text...)
	case String:
		return appendString(b, n.Text)
	case Array:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, m := range n.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, m.Name)
		b = append(b, ':')
		b = m.Value.appendJSON(b)
	}
	return append(b, '}')
}

// appendString writes a JSON string, escaping no more than RFC 8259 section 7
// asks for.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

func at(file string, line, column int) string {
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// place gives "file:line:column" of a byte offset.
func place(file string, src []byte, offset int) string {
	before := src[:offset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	start := bytes.LastIndexByte(before, '\n') + 1
	return at(file, line, 1+utf8.RuneCount(before[start:]))
}

// checkEncoding refuses what is not plain UTF-8.
func checkEncoding(file string, src []byte) error {
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		return problem.New(at(file, 1, 1), "the file begins with a byte order mark").
			WithHint("save it as UTF-8 without byte order mark")
	}
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return problem.New(at(file, 1, 1), "the file is UTF-16").WithHint("save it as UTF-8")
	}
	if utf8.Valid(src) {
		return nil
	}
	offset := 0
	for {
		r, size := utf8.DecodeRune(src[offset:])
		if r == utf8.RuneError && size <= 1 {
			return problem.New(place(file, src, offset), "invalid UTF-8 (byte 0x%02X)", src[offset]).
				WithHint("save it as UTF-8")
		}
		offset += size
	}
}
