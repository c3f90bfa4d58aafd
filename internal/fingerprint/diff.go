package fingerprint

import (
	"fmt"
	"slices"
	"strconv"
)

// Change is what became of a place from the first payload to the second.
type Change string

// The changes. Spelling never makes two payloads different; Precision does
// under Strict alone.
const (
	Added       Change = "added"
	Removed     Change = "removed"
	Changed     Change = "changed"
	TypeChanged Change = "type changed"
	Reordered   Change = "order changed"  // an array with the same items in another order
	UnicodeForm Change = "unicode form"   // strings that look the same: composed and decomposed letters
	Precision   Change = "precision lost" // numbers that a double cannot tell apart, or not hold
	Spelling    Change = "spelling"       // one number spelled in two ways: 10 and 1e1
)

// Difference is one place at which two payloads part.
type Difference struct {
	Pointer string `json:"pointer"`         // in the first payload; of what was added, in the second
	Other   string `json:"other,omitempty"` // the place in the second, where list positions have moved
	Change  Change `json:"change"`
	Before  string `json:"before,omitempty"` // as JSON, cut; masked where sensitive; containers told by size
	After   string `json:"after,omitempty"`
	Note    string `json:"note,omitempty"` // what a person may have missed
	Matters bool   `json:"matters"`        // it makes the payloads different operations
}

// DiffOptions say what counts and what may be shown.
type DiffOptions struct {
	Numbers   Numbers
	Sensitive []Pointer // masked, with the names below; nil: what looks sensitive is
	Named     []Pointer // places that a recipe names: it gives those names away itself
	Looks     bool      // what looks sensitive is masked too
	Public    bool      // nothing is masked for its looks
}

// Diff gives the places at which two payloads part, in the order of the first
// one's text, with what was added to an object or array at its end. Under
// IEEE754 none of them matters exactly where the canonical forms are equal;
// under Strict exactly where they are equal number for number, also numbers
// that Canonical refuses, which are told as Precision.
func Diff(a, b *Value, o DiffOptions) []Difference {
	d := differ{o: o, cells: maxAlignCells, keys: make(map[*Value]valueKey)}
	d.value(a, b)
	return d.out
}

// SameOperation says whether no difference matters.
func SameOperation(differences []Difference) bool {
	for _, d := range differences {
		if d.Matters {
			return false
		}
	}
	return true
}

type differ struct {
	o     DiffOptions
	a, b  []step // where we are in each payload
	out   []Difference
	cells int // what aligning lists may still cost
	keys  map[*Value]valueKey
}

func (d *differ) value(a, b *Value) {
	switch {
	case a.Kind != b.Kind:
		d.tell(Difference{Change: TypeChanged, Note: typeNote(a, b), Matters: true}, a, b)
	case a.Kind == KindBool && a.Bool != b.Bool:
		d.tell(Difference{Change: Changed, Matters: true}, a, b)
	case a.Kind == KindNumber:
		d.number(a, b)
	case a.Kind == KindString && a.Str != b.Str:
		change, note := alike(a.Str, b.Str)
		d.tell(Difference{Change: change, Note: note, Matters: true}, a, b)
	case a.Kind == KindArray:
		d.array(a, b)
	case a.Kind == KindObject:
		d.object(a, b)
	}
}

// typeNote says what changed but the type.
func typeNote(a, b *Value) string {
	note := fmt.Sprintf("%s became %s", a.Kind, b.Kind)
	if text, number := a, b; a.Kind == KindNumber || b.Kind == KindNumber {
		if a.Kind == KindNumber {
			text, number = b, a
		}
		if end, ok := numberEnd(text.Str); text.Kind == KindString && ok && end == len(text.Str) &&
			readDecimal(text.Str) == readDecimal(number.Number) {
			note += ": the same digits, once as text and once as a number"
		}
	}
	if text, word := a, b; a.Kind == KindString || b.Kind == KindString {
		if b.Kind == KindString {
			text, word = b, a
		}
		if (word.Kind == KindBool || word.Kind == KindNull) && text.Str == show(word) {
			note += ": the same word, once as text"
		}
	}
	return note
}

func (d *differ) number(a, b *Value) {
	x, y := readDecimal(a.Number), readDecimal(b.Number)
	if x == y {
		if a.Number != b.Number {
			d.tell(Difference{Change: Spelling, Note: "one number in two spellings"}, a, b)
		}
		if d.o.Numbers == Strict && !lossless(a.Number) {
			d.tell(Difference{Change: Precision,
				Note: "equal in both, but a double cannot hold it: strict gives it no fingerprint"}, a, b)
		}
		return
	}
	fx, _ := x.float()
	fy, _ := y.float()
	if fx != fy {
		d.tell(Difference{Change: Changed, Matters: true}, a, b)
		return
	}
	canonical, _ := canonicalNumber(a.Number)
	note := "a double cannot tell them apart"
	if !d.hidden(d.a, a) && !d.hidden(d.b, b) {
		note += ": a server that reads numbers so sees " + canonical + " in both"
	}
	d.tell(Difference{Change: Precision, Note: note, Matters: d.o.Numbers == Strict}, a, b)
}

func (d *differ) object(a, b *Value) {
	inB := memberMap(b)
	d.a, d.b = append(d.a, step{}), append(d.b, step{})
	last := len(d.a) - 1
	shared := make(map[string]bool, len(a.Members))
	for _, m := range a.Members {
		d.a[last], d.b[len(d.b)-1] = step{name: m.Name, index: -1}, step{name: m.Name, index: -1}
		if other, there := inB[m.Name]; there {
			shared[m.Name] = true
			d.value(m.Value, other)
			continue
		}
		d.tell(Difference{Change: Removed, Note: d.nameNote(m, b), Matters: true}, m.Value, nil)
	}
	for _, m := range b.Members {
		if !shared[m.Name] {
			d.b[len(d.b)-1] = step{name: m.Name, index: -1}
			d.tell(Difference{Change: Added, Note: d.nameNote(m, a), Matters: true}, nil, m.Value)
		}
	}
	d.a, d.b = d.a[:last], d.b[:len(d.b)-1]
}

func memberMap(v *Value) map[string]*Value {
	m := make(map[string]*Value, len(v.Members))
	for _, member := range v.Members {
		m[member.Name] = member.Value
	}
	return m
}

// nameNote says why a member that is only in one payload may look as if it
// were in both.
func (d *differ) nameNote(m Member, other *Value) string {
	if len(other.Members) <= maxNameCompared {
		for _, o := range other.Members {
			if why := sameLook(m.Name, o.Name); why != "" && !d.hiddenName(o.Name) && !d.below(append(d.b[:len(d.b)-1:len(d.b)-1], step{name: o.Name, index: -1})) {
				return fmt.Sprintf("the other payload has the name %s there: %s",
					strconv.QuoteToASCII(cut(o.Name, shownLength)), why)
			}
		}
	}
	if m.Value.Kind == KindNull {
		return "absent and null are different"
	}
	return ""
}

const maxNameCompared = 200

// tell adds a difference with its places and what may be shown of its values.
func (d *differ) tell(diff Difference, a, b *Value) {
	at := d.a
	if a == nil {
		at = d.b
	}
	diff.Pointer = d.pointer(at)
	if a != nil && b != nil {
		if other := d.pointer(d.b); other != diff.Pointer {
			diff.Other = other
		}
	}
	switch {
	case diff.Change == Reordered: // the note says it all
	case d.hidden(d.a, a) || d.hidden(d.b, b):
		diff.Before, diff.After = maskedIf(a), maskedIf(b)
	case a != nil && b != nil && a.Kind == KindString && b.Kind == KindString:
		diff.Before, diff.After = excerpts(a.Str, b.Str, diff.Note != "")
	default:
		diff.Before, diff.After = show(a), show(b)
	}
	d.out = append(d.out, diff)
}

func maskedIf(v *Value) string {
	if v == nil {
		return ""
	}
	return masked
}

// hidden says whether the value at a path must not be shown.
func (d *differ) hidden(path []step, v *Value) bool {
	if v == nil {
		return false
	}
	for _, s := range d.o.Sensitive {
		if s.coversPath(path) {
			return true
		}
	}
	return d.byLooks() && Private(nameOf(path), v)
}

func (d *differ) hiddenName(name string) bool {
	return d.byLooks() && Looks("", String(name)) != ""
}

// byLooks says whether looks decide what is shown.
func (d *differ) byLooks() bool {
	return !d.o.Public && (d.o.Sensitive == nil || d.o.Looks)
}

// below says whether a path of one payload leads below a place that is called
// sensitive, and no pointer of a recipe's goes there: such a name may be what
// must not be shown, as in a map by token.
func (d *differ) below(path []step) bool {
	within := func(other []step) bool {
		return slices.ContainsFunc(d.o.Sensitive, func(s Pointer) bool {
			return len(s) < len(path) && len(path) <= len(other) && s.coversPath(other)
		})
	}
	if !within(path) && !within(d.a[:min(len(path), len(d.a))]) && !within(d.b[:min(len(path), len(d.b))]) {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(d.o.Sensitive, d.o.Named), func(p Pointer) bool {
		return len(p) >= len(path) && p[:len(path)].coversPath(path)
	})
}

// pointer gives the text of a path, without names that must not be shown.
func (d *differ) pointer(path []step) string {
	shown := make([]step, len(path))
	for i, s := range path {
		if s.index < 0 && (d.hiddenName(s.name) || d.below(path[:i+1])) {
			s.name = masked
		}
		shown[i] = s
	}
	return pointerText(shown)
}

func (p Pointer) coversPath(path []step) bool {
	if len(path) < len(p) {
		return false
	}
	for i := range p {
		if token := path[i].token(); token != p[i] {
			return false
		}
	}
	return true
}
