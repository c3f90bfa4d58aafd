package determ

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// Entry is one field of the identity and where its value comes from: a place
// of the payload, or an input.
type Entry struct {
	Name       string
	Input      string              // the input's name; empty for an entry with a pointer
	Pointer    fingerprint.Pointer // nil for an entry with an input
	Type       string              // "string", "integer", "boolean", "number"; empty: any
	AllowNull  bool                // when_null: allow
	OmitAbsent bool                // when_absent: omit
	Transforms []Transform

	at *document.Node
}

// Place says where the value comes from, in errors: the pointer's text or
// "input NAME".
func (e *Entry) Place() string {
	if e.Input != "" {
		return "input " + document.Show(e.Input)
	}
	if len(e.Pointer) == 0 {
		return "the payload"
	}
	return e.Pointer.String()
}

func readIdentity(f *document.Fields) []Entry {
	n := f.Must("identity")
	switch {
	case f.Err() != nil:
		return nil
	case n.Kind != document.Object:
		f.Fail(n.Errorf("identity must be an object of names and pointers, not %s", n.Kind).
			WithHint("identity: {cart: /cart/id}"))
		return nil
	case len(n.Members) == 0:
		f.Fail(n.Errorf("identity is empty: every payload would be the same operation").
			WithHint("identity: {cart: /cart/id}"))
		return nil
	}
	entries := make([]Entry, 0, len(n.Members))
	for _, m := range n.Members {
		e, err := readEntry(m)
		if err != nil {
			f.Fail(err)
			return nil
		}
		entries = append(entries, e)
	}
	return entries
}

// readEntry reads the short form, a pointer, or the long one.
func readEntry(m document.Member) (Entry, error) {
	e := Entry{Name: m.Name, at: m.Value}
	if m.Value.Kind == document.String {
		return e, e.readPointer(m.Value)
	}
	what := "the identity field " + document.Show(m.Name)
	if m.Value.Kind != document.Object {
		return e, m.Value.Errorf("%s must be a pointer or an object, not %s", what, m.Value.Kind).
			WithHint("%s: %s", document.Show(m.Name), sample("pointer"))
	}
	f, err := readObject(m.Value, what, "pointer", "input", "type", "when_null", "when_absent", "transform")
	if err != nil {
		return e, err
	}
	switch {
	case f.Has("pointer") == f.Has("input"):
		return e, f.Node.Errorf("%s needs a pointer or an input, one of the two", f.What).
			WithHint("pointer: %s, or input: %s", sample("pointer"), sample("input"))
	case f.Has("pointer"):
		f.String("pointer")
		if f.Err() == nil {
			f.Fail(e.readPointer(f.Get("pointer")))
		}
	default:
		if e.Input = f.String("input"); f.Err() == nil && (e.Input == "" || strings.Contains(e.Input, "=")) {
			f.Fail(f.Get("input").Errorf("the name of an input is not empty and holds no =").
				WithHint("input: %s", sample("input")))
		}
	}
	e.Type = f.OptEnum("type", "", "string", "integer", "boolean", "number")
	e.AllowNull = f.OptEnum("when_null", "refuse", "refuse", "allow") == "allow"
	e.OmitAbsent = f.OptEnum("when_absent", "refuse", "refuse", "omit") == "omit"
	e.Transforms = readTransforms(f)
	if len(e.Transforms) > 0 && e.Type != "" && e.Type != "string" {
		f.Fail(f.Get("transform").Errorf("%s is %s, and transforms work on strings", f.What, e.Type).
			WithHint("leave transform out, or type: string"))
	}
	return e, f.Err()
}

func (e *Entry) readPointer(n *document.Node) error {
	p, err := fingerprint.ParsePointer(n.Text)
	if err != nil {
		return pointerProblem(n, err)
	}
	e.Pointer = p
	return nil
}

func readTransforms(f *document.Fields) []Transform {
	list := f.OptStringList("transform")
	transforms := make([]Transform, 0, len(list))
	for i := range list {
		word, err := f.Get("transform").Items[i].AsEnum("transform", string(NFC), string(Trim), string(ASCIILowercase))
		f.Fail(err)
		transforms = append(transforms, Transform(word))
	}
	return transforms
}
