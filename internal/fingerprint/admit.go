package fingerprint

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse admits the whole text and gives its value. The text must be one UTF-8
// JSON value without byte order mark, duplicate names (compared after
// unescaping), lone surrogates, nesting over MaxDepth, or numbers beyond the
// double range; anything else is an *Error. Time and memory are linear in the
// length of the text. Literals of numbers are kept: what Strict refuses is for
// Canonical to say.
func Parse(src []byte) (*Value, error) {
	r := reader{text: string(src), part: part{keep: true}}
	return r.whole()
}

// Admit is Parse without the value.
func Admit(src []byte) error {
	r := reader{text: string(src)}
	_, err := r.whole()
	return err
}

// reader goes over a text once. Its recursion is bounded by MaxDepth.
type reader struct {
	text string
	at   int
	part        // of the text of which values are built
	path []step // from the whole value to the one being read

	strict       bool // look for lossy numbers
	lossy        *Error
	longExponent bool // met one

	looking bool // stop at the first value that looks private
	private Finding
}

const noValue = "there is no JSON value"

// step is one token of the path: a name, or an index where index >= 0.
type step struct {
	name  string
	index int
}

func (r *reader) whole() (*Value, error) {
	if mark := byteOrderMark(r.text); mark != "" {
		e := r.fail(ByteOrderMark, 0, "the text starts with a byte order mark of %s", mark)
		e.hint = "save it as UTF-8 without byte order mark"
		return nil, e
	}
	r.space()
	if r.at == len(r.text) {
		return nil, r.fail(Empty, r.at, "%s", noValue)
	}
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	r.space()
	if r.at < len(r.text) {
		return nil, r.fail(TrailingData, r.at, "something follows the JSON value")
	}
	return v, nil
}

func byteOrderMark(s string) string {
	switch {
	case strings.HasPrefix(s, "\xEF\xBB\xBF"):
		return "UTF-8"
	case strings.HasPrefix(s, "\xFE\xFF"), strings.HasPrefix(s, "\xFF\xFE"):
		return "UTF-16 or UTF-32"
	}
	return ""
}

// space skips the four white space characters of RFC 8259 section 2.
func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// value reads one value; r.at stands on its first byte.
func (r *reader) value() (*Value, error) {
	if r.at == len(r.text) {
		return nil, r.fail(UnexpectedEnd, r.at, "the text ends where a value belongs")
	}
	start := int64(r.at)
	switch c := r.text[r.at]; c {
	case '{', '[':
		if len(r.path) == MaxDepth {
			return nil, r.fail(TooDeep, r.at, "arrays and objects are nested more than %d deep", MaxDepth)
		}
		if c == '{' {
			return r.object()
		}
		return r.array()
	case '"':
		s, err := r.string()
		if err == nil && r.looking {
			err = r.look(String(s))
		}
		if err != nil || !r.keep {
			return nil, err
		}
		return &Value{Kind: KindString, Str: s, Offset: start}, nil
	case '-', '+', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.number()
	}
	return r.literal()
}

func (r *reader) array() (*Value, error) {
	start := int64(r.at)
	r.at++
	r.path = append(r.path, step{})
	var items []*Value
	for i := 0; ; i++ {
		r.space()
		if i == 0 && r.next(']') {
			break
		}
		r.path[len(r.path)-1].index = i
		here := r.enter()
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		if r.keep {
			items = append(append(items, make([]*Value, i-len(items))...), item)
		}
		r.part = here
		r.space()
		if r.next(']') {
			break
		}
		if !r.next(',') {
			return nil, r.unexpected("a comma or ] belongs here")
		}
	}
	r.path = r.path[:len(r.path)-1]
	if !r.keep {
		return nil, nil
	}
	return &Value{Kind: KindArray, Items: items, Offset: start}, nil
}

func (r *reader) object() (*Value, error) {
	start := int64(r.at)
	r.at++
	r.path = append(r.path, step{index: -1})
	var members []Member
	var seen names
	for {
		r.space()
		if seen.count() == 0 && r.next('}') {
			break
		}
		name, err := r.name(&seen)
		if err != nil {
			return nil, err
		}
		here := r.enter()
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		if r.keep {
			members = append(members, Member{Name: name, Value: value})
		}
		r.part = here
		r.space()
		if r.next('}') {
			break
		}
		if !r.next(',') {
			return nil, r.unexpected("a comma or } belongs here")
		}
	}
	r.path = r.path[:len(r.path)-1]
	if !r.keep {
		return nil, nil
	}
	return &Value{Kind: KindObject, Members: members, Offset: start}, nil
}

// name reads a member's name and its colon, and goes on to its value.
func (r *reader) name(seen *names) (string, error) {
	here := &r.path[len(r.path)-1]
	outside := r.path[:len(r.path)-1]
	start := r.at
	if r.at == len(r.text) || r.text[r.at] != '"' {
		err := r.unexpected("a name in double quotes belongs here")
		err.Pointer = pointerText(outside)
		return "", err
	}
	name, err := r.string()
	if err != nil {
		err.(*Error).Pointer = pointerText(outside)
		return "", err
	}
	here.name = name
	if r.looking {
		if err := r.lookAtName(name); err != nil {
			return "", err
		}
	}
	if !seen.add(name) {
		err := r.fail(DuplicateName, start, "the object has this name twice")
		err.again = true
		return "", err
	}
	r.space()
	if !r.next(':') {
		return "", r.unexpected("a colon belongs here")
	}
	r.space()
	return name, nil
}

// names tells whether an object's names differ. Few are compared one by one;
// many go into a map, whose hashing no input can be made to fit.
type names struct {
	few  []string
	many map[string]struct{}
}

const fewNames = 12

func (n *names) count() int { return len(n.few) + len(n.many) }

func (n *names) add(name string) bool {
	if n.many == nil {
		for _, other := range n.few {
			if other == name {
				return false
			}
		}
		if len(n.few) < fewNames {
			n.few = append(n.few, name)
			return true
		}
		n.many = make(map[string]struct{}, 4*fewNames)
		for _, other := range n.few {
			n.many[other] = struct{}{}
		}
		n.few = nil
	}
	if _, there := n.many[name]; there {
		return false
	}
	n.many[name] = struct{}{}
	return true
}

func (r *reader) next(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

// unexpected says what belongs at r.at, where something else or nothing stands.
func (r *reader) unexpected(belongs string) *Error {
	if r.at == len(r.text) {
		return r.fail(UnexpectedEnd, r.at, "the text ends too early: %s", belongs)
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	if c == utf8.RuneError && size == 1 {
		return r.fail(InvalidUTF8, r.at, "the bytes are not UTF-8")
	}
	return r.fail(Syntax, r.at, "unexpected %s: %s", quoteRune(c), belongs)
}

func quoteRune(c rune) string {
	if c == '\'' {
		return `"'"`
	}
	return "'" + Printable(string(c)) + "'"
}

// fail makes the error for a place in the text, with the path to it.
func (r *reader) fail(class Class, offset int, format string, args ...any) *Error {
	e := &Error{Class: class, Offset: int64(offset), Detail: fmt.Sprintf(format, args...)}
	e.Pointer = pointerText(r.path)
	before := r.text[:offset]
	e.Line = strings.Count(before, "\n") + 1
	e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	e.byOffset = class != DuplicateName && class != OutOfRange && class != LossyNumber
	return e
}

func pointerText(path []step) string {
	p := make(Pointer, len(path))
	for i, s := range path {
		p[i] = s.token()
	}
	return p.String()
}

func (s step) token() string {
	if s.index < 0 {
		return s.name
	}
	return strconv.Itoa(s.index)
}
