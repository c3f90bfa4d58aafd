package document

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Fields reads one object member by member. A method that meets a wrong type
// or a missing part keeps the first such error, which Err gives; later ones
// give zero values, so a reader can ask for everything and look once:
//
//	f, err := document.ReadObject(n, "recipe", "version", "prefix", "encode")
//	if err != nil {
//		return err
//	}
//	r.Version = f.Int("version", 1, 999999)
//	r.Prefix = f.String("prefix")
//	r.Encode = f.OptEnum("encode", "id", "id", "short", "uuid")
//	return f.Err()
type Fields struct {
	Node *Node  // the object
	What string // what it is, in errors: "recipe", "key"
	// Sample gives a member's value as one would write it, "" where there is
	// none: it is the hint of an error that has none of its own. Objects
	// inside ask it too. nil: no such hints.
	Sample func(name string) string
	err    error
}

// ReadObject begins to read n. It refuses what is no object and every name that
// is not known, with the nearest known one as hint.
func ReadObject(n *Node, what string, known ...string) (*Fields, error) {
	f := &Fields{Node: n, What: what}
	if n.Kind != Object {
		return nil, n.Errorf("%s must be an object, not %s", what, n.Kind)
	}
	for _, m := range n.Members {
		if slices.Contains(known, m.Name) {
			continue
		}
		return nil, problem.New(at(n.File, m.Line, m.Column), "unknown key %s in %s", Show(m.Name), what).
			MeaningOr(m.Name, known, "known keys: %s", strings.Join(known, ", "))
	}
	return f, nil
}

// Err gives the first thing that was wrong.
func (f *Fields) Err() error { return f.err }

// Fail keeps err unless there is an error already; nil is nothing.
func (f *Fields) Fail(err error) {
	if f.err == nil && err != nil {
		f.err = err
	}
}

// hinted gives an error about a member the member's sample as its hint, where
// it has none.
func (f *Fields) hinted(name string, err error) error {
	var p *problem.Error
	if f.Sample == nil || !errors.As(err, &p) || problem.Hint(err) != "" {
		return err
	}
	if sample := f.Sample(name); sample != "" {
		return p.WithHint("%s: %s", name, sample)
	}
	return err
}

// Has says whether the member is there, null or not.
func (f *Fields) Has(name string) bool { return f.Node.Member(name) != nil }

// Get gives the member's value, nil where it is absent.
func (f *Fields) Get(name string) *Node { return f.Node.Lookup(name) }

// Must gives the member's value; absence is an error, and the answer then nil.
func (f *Fields) Must(name string) *Node {
	n := f.Get(name)
	if n == nil {
		f.Fail(f.hinted(name, f.Node.Errorf("%s is missing in %s", name, f.What)))
	}
	return n
}

// String gives the text of a member that must be there and be a string.
func (f *Fields) String(name string) string {
	return read(f, name, f.Must(name), "", func(n *Node) (string, error) { return n.AsString(name) })
}

// OptString is String with a default for where the member is absent.
func (f *Fields) OptString(name, absent string) string {
	return read(f, name, f.Get(name), absent, func(n *Node) (string, error) { return n.AsString(name) })
}

// Int gives a member that must be there and be a whole number in [low, high].
func (f *Fields) Int(name string, low, high int64) int64 {
	return read(f, name, f.Must(name), 0, func(n *Node) (int64, error) { return n.AsInt(name, low, high) })
}

// OptInt is Int with a default for where the member is absent.
func (f *Fields) OptInt(name string, absent, low, high int64) int64 {
	return read(f, name, f.Get(name), absent, func(n *Node) (int64, error) { return n.AsInt(name, low, high) })
}

// Bool gives a member that must be there and be true or false.
func (f *Fields) Bool(name string) bool {
	return read(f, name, f.Must(name), false, func(n *Node) (bool, error) { return n.AsBool(name) })
}

// OptBool is Bool with a default for where the member is absent.
func (f *Fields) OptBool(name string, absent bool) bool {
	return read(f, name, f.Get(name), absent, func(n *Node) (bool, error) { return n.AsBool(name) })
}

// StringList gives a member that must be there and be a list of strings.
func (f *Fields) StringList(name string) []string {
	return read(f, name, f.Must(name), nil, func(n *Node) ([]string, error) { return n.AsStringList(name) })
}

// OptStringList is StringList, nil where the member is absent.
func (f *Fields) OptStringList(name string) []string {
	return read(f, name, f.Get(name), nil, func(n *Node) ([]string, error) { return n.AsStringList(name) })
}

// Enum gives a member that must be there and be one of the words.
func (f *Fields) Enum(name string, words ...string) string {
	return read(f, name, f.Must(name), "", func(n *Node) (string, error) { return n.AsEnum(name, words...) })
}

// OptEnum is Enum with a default for where the member is absent.
func (f *Fields) OptEnum(name, absent string, words ...string) string {
	return read(f, name, f.Get(name), absent, func(n *Node) (string, error) { return n.AsEnum(name, words...) })
}

// Object begins to read a member that must be there. After an error the
// answer reads as an object without members, never as nil.
func (f *Fields) Object(name string, known ...string) *Fields {
	return f.object(f.Must(name), name, known)
}

// OptObject is Object, nil where the member is absent.
func (f *Fields) OptObject(name string, known ...string) *Fields {
	if f.Get(name) == nil {
		return nil
	}
	return f.object(f.Get(name), name, known)
}

func (f *Fields) object(n *Node, name string, known []string) *Fields {
	empty := &Fields{Node: &Node{Kind: Object, File: f.Node.File, Line: f.Node.Line, Column: f.Node.Column}, What: name}
	return read(f, name, n, empty, func(n *Node) (*Fields, error) {
		inner, err := ReadObject(n, name, known...)
		if err != nil {
			return empty, err
		}
		inner.Sample = f.Sample
		return inner, nil
	})
}

// read gives what get makes of n, or the default where n is nil.
func read[T any](f *Fields, name string, n *Node, absent T, get func(*Node) (T, error)) T {
	if n == nil {
		return absent
	}
	v, err := get(n)
	f.Fail(f.hinted(name, err))
	return v
}

// AsString gives a string's text; what names it in the error.
func (n *Node) AsString(what string) (string, error) {
	if n.Kind == String {
		return n.Text, nil
	}
	err := n.Errorf("%s must be a string, not %s", what, n.Kind)
	if n.Kind == Number || n.Kind == Bool {
		return "", err.WithHint("put the value in quotes")
	}
	return "", err
}

// AsInt gives a whole number in [low, high], spelled 0, [1-9][0-9]* or, where
// low allows it, with a minus before it; 1.0 and 1e2 are refused.
func (n *Node) AsInt(what string, low, high int64) (int64, error) {
	if n.Kind != Number {
		return 0, n.Errorf("%s must be a whole number, not %s", what, n.Kind)
	}
	if strings.ContainsAny(n.Text, ".eE") || n.Text == "-0" {
		return 0, n.Errorf("%s must be a whole number, written in digits alone", what)
	}
	v, err := strconv.ParseInt(n.Text, 10, 64)
	if err != nil || v < low || v > high {
		return 0, n.Errorf("%s must be from %d to %d", what, low, high)
	}
	return v, nil
}

// AsBool gives true or false.
func (n *Node) AsBool(what string) (bool, error) {
	if n.Kind == Bool {
		return n.Text == "true", nil
	}
	err := n.Errorf("%s must be true or false, not %s", what, n.Kind)
	if n.Kind == String {
		return false, err.WithHint("%s: true", what)
	}
	return false, err
}

// AsStringList gives a list of strings; an empty list is empty, not nil.
func (n *Node) AsStringList(what string) ([]string, error) {
	if n.Kind != Array {
		return nil, n.Errorf("%s must be a list of strings, not %s", what, n.Kind)
	}
	list := make([]string, 0, len(n.Items))
	for _, item := range n.Items {
		s, err := item.AsString("each of " + what)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// AsEnum gives a string that is one of the words.
func (n *Node) AsEnum(what string, words ...string) (string, error) {
	s, err := n.AsString(what)
	if err != nil {
		return "", err
	}
	if slices.Contains(words, s) {
		return s, nil
	}
	wrong := n.Errorf("%s is not a known %s", Show(s), what)
	if len(words) == 1 {
		return "", wrong.MeaningOr(s, words, "%s: %s", what, words[0])
	}
	return "", wrong.Meaning(s, words)
}

// Misspelt says whether an object has a member that most likely meant another.
func (n *Node) Misspelt(name string) bool {
	return slices.ContainsFunc(n.Members, func(m Member) bool { return problem.Nearest(m.Name, []string{name}) != "" })
}
