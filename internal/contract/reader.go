package contract

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

type lookup = func(name string) (string, bool)

// reader goes over the tree of one file. It keeps the first error and goes on
// with zero values.
type reader struct {
	file     string
	root     *document.Node
	load     func(string) ([]byte, error)
	files    map[string][]byte
	texts    lookup          // fills ${NAME} in texts; nil leaves it
	numbers  lookup          // fills ${NAME} in durations and numbers; nil leaves it
	within   bool            // inside target, effects, crash or expiry, where ${NAME} may stand
	settings map[string]bool // names that durations and numbers read
	urls     []placed
	profiled *Profile // what the file names; nil without one
	err      error
	reading  *fields // the innermost object being read

	profiledAt  Pos    // where the file names it
	profileText string // of a trace: in place of the built-in one
	recorded    bool   // the profile must be the trace's own
}

// fail keeps the first error. One without a hint gets the line that was being
// read, as one would write it.
func (r *reader) fail(err error) {
	if r.err != nil || err == nil {
		return
	}
	r.err = err
	var p *problem.Error
	if r.reading == nil || !errors.As(err, &p) || problem.Hint(err) != "" {
		return
	}
	if line := blockOf(r.reading.What).line(r.reading.last); line != "" {
		r.err = p.WithHint("%s", line)
	}
}

// fields is one object while it is being read.
type fields struct {
	*document.Fields
	r  *reader
	at Pos // where its name stands, or the object itself in a list

	last string // the key asked for last
}

// object reads n as a block of that name. fill is not called for what is no
// such object.
func (r *reader) object(n *document.Node, name string, fill func(*fields)) {
	r.block(n, name, pos(n), fill)
}

func (r *reader) block(n *document.Node, name string, at Pos, fill func(*fields)) {
	if r.err != nil {
		return
	}
	f, err := document.ReadObject(n, name, blockOf(name).names()...)
	if err != nil {
		r.fail(err)
		return
	}
	outer := r.reading
	r.reading = &fields{Fields: f, r: r, at: at}
	fill(r.reading)
	r.reading = outer
}

// Get gives the member's value, nil where it is absent.
func (b *fields) Get(name string) *document.Node {
	b.last = name
	return b.Fields.Get(name)
}

// Must is Get for a member that must be there.
func (b *fields) Must(name string) *document.Node {
	n := b.Get(name)
	if n == nil {
		b.r.fail(b.Node.Errorf("%s is missing in %s", name, b.What))
	}
	return n
}

// child reads the member as a block.
func (r *reader) child(b *fields, member string, must bool, name string, fill func(*fields)) {
	n := b.Get(member)
	if n == nil {
		if must {
			b.Must(member)
		}
		return
	}
	r.block(n, name, b.pos(member), fill)
}

// pos is where a value stands.
func pos(n *document.Node) Pos {
	if n == nil {
		return Pos{}
	}
	return Pos{n.Line, n.Column}
}

// pos is where a member's name stands; of an absent one, where the object's does.
func (b *fields) pos(name string) Pos {
	if m := b.Member(name); m != nil {
		return Pos{m.Line, m.Column}
	}
	return b.at
}

// Member gives a member of the object, nil where it is absent.
func (b *fields) Member(name string) *document.Member { return b.Node.Member(name) }

// list gives the items of a list that is not empty.
func (b *fields) list(name string, must bool) []*document.Node {
	n := b.Get(name)
	switch {
	case n == nil && must:
		b.Must(name)
	case n == nil:
	case n.Kind != document.Array:
		b.r.fail(n.Errorf("%s must be a list, not %s", name, n.Kind))
	case len(n.Items) == 0:
		b.r.fail(n.Errorf("%s is empty", name))
	default:
		return n.Items
	}
	return nil
}

// choose gives the one member of names that is there. Two of them are an
// error, and where must is set none is.
func (b *fields) choose(must bool, names ...string) string {
	chosen := ""
	for _, name := range names {
		switch {
		case !b.Has(name):
		case chosen == "":
			chosen = name
		default:
			m := b.Member(name)
			b.r.fail(problem.New(at(b.r.file, Pos{m.Line, m.Column}), "%s has both %s and %s", b.What, chosen, name).
				WithHint("keep one of %s", strings.Join(names, ", ")))
			return chosen
		}
	}
	if chosen == "" && must {
		b.last = names[0]
		b.r.fail(b.Node.Errorf("%s has none of %s", b.What, strings.Join(names, ", ")))
	}
	return chosen
}

// word gives one of the words of its place; absent is for an absent member.
func (b *fields) word(name, absent string) string {
	n := b.Get(name)
	if n == nil {
		return absent
	}
	word, err := n.AsEnum(name, wordsOf(b.What+"."+name)...)
	b.r.fail(err)
	return word
}

// text gives a string that must be there and hold something.
func (b *fields) text(name string) string {
	return b.r.string(b.Must(name), name)
}

// optText is text, empty where the member is absent.
func (b *fields) optText(name string) string { return b.r.string(b.Get(name), name) }

// string reads a text that is not empty, and fills it in where it may be.
func (r *reader) string(n *document.Node, what string) string {
	if n == nil || r.err != nil {
		return ""
	}
	s, err := n.AsString(what)
	if err != nil {
		r.fail(err)
		return ""
	}
	if s == "" {
		r.fail(n.Errorf("%s is empty", what))
		return ""
	}
	if strings.ContainsRune(s, 0) {
		r.fail(n.Errorf("%s holds a NUL character", what))
		return ""
	}
	return r.fill(n, what)
}

// command gives a program with its arguments.
func (b *fields) command(name string, must bool) []string {
	var list []string
	for i, n := range b.list(name, must) {
		if n.Kind == document.String && n.Text == "" && i > 0 {
			list = append(list, "")
			continue
		}
		list = append(list, b.r.string(n, "each of "+name))
	}
	return list
}

// loaded gives the bytes of a file that the contract names; nil where files
// are not read.
func (r *reader) loaded(n *document.Node, path string) []byte {
	if r.load == nil || r.err != nil {
		return nil
	}
	if src, ok := r.files[path]; ok {
		return src
	}
	src, err := r.load(path)
	if err != nil {
		cause := err
		var p *fs.PathError
		if errors.As(err, &p) {
			cause = p.Err
		}
		wrong := n.Errorf("%s cannot be read: %s", document.Show(path), cause)
		wrong.Err = err
		r.fail(wrong.WithHint("%s", cmp.Or(problem.Hint(err), "paths are relative to "+r.file)))
		return nil
	}
	if src == nil {
		src = []byte{}
	}
	r.files[path] = src
	return src
}
