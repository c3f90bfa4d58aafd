package probe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// draft is a request body that can still be changed. For JSON the tree is
// edited; for a form the fields are; raw bytes stay as they are.
type draft struct {
	kind contract.BodyKind
	tree *fingerprint.Value
	form [][2]string
	raw  []byte
}

// newDraft copies the contract's body.
func newDraft(b contract.Body) (*draft, error) {
	d := &draft{kind: b.Kind, raw: b.Raw}
	switch b.Kind {
	case contract.JSONBody:
		tree, err := fingerprint.Parse(b.JSON)
		if err != nil {
			return nil, err
		}
		d.tree = tree
	case contract.FormBody:
		d.form = append([][2]string(nil), b.Form...)
	}
	return d, nil
}

// bytes gives the body as it is sent: members in the file's order, number
// literals as written there.
func (d *draft) bytes() []byte {
	if d.kind == contract.JSONBody || d.kind == contract.FormBody {
		return []byte(d.spelt(spelling{}))
	}
	return d.raw
}

// set puts a text or an integer at a pointer that exists.
func (d *draft) set(pointer, text string, integer bool) bool {
	if integer {
		return d.put(pointer, number(text))
	}
	return d.put(pointer, fingerprint.String(text))
}

// put replaces the value at a pointer that exists; a member that is absent is
// added to its object, since keys may travel in a member that the file leaves out.
func (d *draft) put(pointer string, v *fingerprint.Value) bool {
	switch d.kind {
	case contract.FormBody:
		return d.putField(pointer, scalarText(v))
	case contract.JSONBody:
	default:
		return false
	}
	p, err := fingerprint.ParsePointer(pointer)
	if err != nil {
		return false
	}
	if len(p) == 0 {
		d.tree = v
		return true
	}
	parent, ok := d.tree.At(p[:len(p)-1])
	if !ok {
		return false
	}
	last := p[len(p)-1]
	switch parent.Kind {
	case fingerprint.KindObject:
		for i := range parent.Members {
			if parent.Members[i].Name == last {
				parent.Members[i].Value = v
				return true
			}
		}
		parent.Members = append(parent.Members, fingerprint.Member{Name: last, Value: v})
		return true
	case fingerprint.KindArray:
		i, err := strconv.Atoi(last)
		if err != nil || i < 0 || i >= len(parent.Items) {
			return false
		}
		parent.Items[i] = v
		return true
	}
	return false
}

// edit changes the value at a pointer in place; false where there is none.
func (d *draft) edit(pointer string, change func(*fingerprint.Value)) bool {
	p, err := fingerprint.ParsePointer(pointer)
	if err != nil || d.kind != contract.JSONBody {
		return false
	}
	v, ok := d.tree.At(p)
	if ok {
		change(v)
	}
	return ok
}

// member says that a pointer names an object's member, or a form's field.
func (d *draft) member(pointer string) bool {
	p, err := fingerprint.ParsePointer(pointer)
	if err != nil || len(p) == 0 {
		return false
	}
	if d.kind == contract.FormBody {
		return len(p) == 1 && slices.ContainsFunc(d.form, func(f [2]string) bool { return f[0] == p[0] })
	}
	if d.kind != contract.JSONBody {
		return false
	}
	parent, ok := d.tree.At(p[:len(p)-1])
	return ok && parent.Kind == fingerprint.KindObject && parent.Member(p[len(p)-1]) != nil
}

// remove takes a member of an object, or all fields of a name, out.
func (d *draft) remove(pointer string) bool {
	p, err := fingerprint.ParsePointer(pointer)
	if err != nil || !d.member(pointer) {
		return false
	}
	last := p[len(p)-1]
	if d.kind == contract.FormBody {
		d.form = slices.DeleteFunc(d.form, func(f [2]string) bool { return f[0] == last })
		return true
	}
	parent, _ := d.tree.At(p[:len(p)-1])
	parent.Members = slices.DeleteFunc(parent.Members, func(m fingerprint.Member) bool { return m.Name == last })
	return true
}

func (d *draft) putField(pointer, text string) bool {
	name, ok := fieldName(pointer)
	if !ok {
		return false
	}
	for i := range d.form {
		if d.form[i][0] == name {
			d.form[i][1] = text
			return true
		}
	}
	d.form = append(d.form, [2]string{name, text})
	return true
}

// fieldName reads the pointer of a form field: one token.
func fieldName(pointer string) (string, bool) {
	p, err := fingerprint.ParsePointer(pointer)
	if err != nil || len(p) != 1 {
		return "", false
	}
	return p[0], true
}

// leaf is one scalar of a body with its pointer.
type leaf struct {
	pointer string
	value   *fingerprint.Value
}

// leaves gives every scalar of the body, in document order. Form fields count
// as strings.
func (d *draft) leaves() []leaf {
	var out []leaf
	switch d.kind {
	case contract.JSONBody:
		walkLeaves(d.tree, "", &out)
	case contract.FormBody:
		for _, f := range d.form {
			out = append(out, leaf{"/" + escapeToken(f[0]), fingerprint.String(f[1])})
		}
	}
	return out
}

func walkLeaves(v *fingerprint.Value, at string, out *[]leaf) {
	switch v.Kind {
	case fingerprint.KindArray:
		for i, item := range v.Items {
			walkLeaves(item, at+"/"+strconv.Itoa(i), out)
		}
	case fingerprint.KindObject:
		for _, m := range v.Members {
			walkLeaves(m.Value, at+"/"+escapeToken(m.Name), out)
		}
	default:
		*out = append(*out, leaf{at, v})
	}
}

// escapeToken writes a reference token (RFC 6901, 3).
func escapeToken(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

func scalarText(v *fingerprint.Value) string {
	switch v.Kind {
	case fingerprint.KindString:
		return v.Str
	case fingerprint.KindNumber:
		return v.Number
	case fingerprint.KindBool:
		return strconv.FormatBool(v.Bool)
	}
	return ""
}
