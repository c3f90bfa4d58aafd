package determ

import (
	"encoding/json"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// sensitiveMark stands for a value that must not be shown.
const sensitiveMark = "«sensitive»"

// Explanation says how an ID came about, without any secret and with
// sensitive values masked.
type Explanation struct {
	Namespace string           `json:"namespace"`
	Operation string           `json:"operation"`
	Version   int              `json:"version"`
	Boundary  string           `json:"boundary"`
	Fields    []ExplainedField `json:"identity"`
	Canonical string           `json:"canonical"` // M, masked; not the bytes where Masked
	Masked    bool             `json:"masked"`
	Numbers   string           `json:"numbers"`
	Subkey    ExplainedSubkey  `json:"subkey"`
	Encode    string           `json:"encode"`
	Encoding  string           `json:"encoding"` // Encode in words
}

// ExplainedField is one field of the identity.
type ExplainedField struct {
	Name       string          `json:"name"`
	From       string          `json:"from"` // a pointer, or "input NAME"
	Type       string          `json:"type"` // JSON type; "absent" where it was left out
	Value      json.RawMessage `json:"value,omitempty"`
	Transforms []Transform     `json:"transform,omitempty"`
}

// ExplainedSubkey says how the subkey is made. The subkey is a secret.
type ExplainedSubkey struct {
	Kid    string `json:"kid"`
	Source string `json:"source"`
	KDF    string `json:"kdf"`
	Salt   string `json:"salt"`
	Info   string `json:"info"`
	Length int    `json:"length"`
}

// Explain tells how the ID came about. It fails only where two engines differ
// on what is shown.
func (d *Derived) Explain() (Explanation, error) {
	r := d.Recipe
	e := Explanation{Namespace: r.Namespace, Operation: r.Operation, Version: r.Version, Boundary: r.Boundary,
		Numbers: r.Numbers.String(), Encode: string(r.Encode), Encoding: r.Encode.Describe(r.Prefix, r.Version),
		Subkey: ExplainedSubkey{Kid: r.Key.Kid, Source: r.Key.Source.String(), KDF: "HKDF-SHA-256", Salt: "idem/determ/v1",
			Info: string(r.Info()), Length: subkeySize}}
	whole := fingerprint.Object()
	for _, f := range d.Selected.Fields {
		x := ExplainedField{Name: f.Entry.Name, From: f.Entry.Place(), Type: "absent", Transforms: f.Entry.Transforms}
		if f.Value != nil {
			shown := r.maskField(f.Entry, f.Value)
			e.Masked = e.Masked || shown != f.Value
			x.Type = f.Value.Kind.String()
			var err error
			if x.Value, err = r.canonical(shown, ""); fingerprint.IsDisagreement(err) {
				return e, err
			}
			whole.Members = append(whole.Members, fingerprint.Member{Name: f.Entry.Name, Value: shown})
		}
		e.Fields = append(e.Fields, x)
	}
	canonical, err := r.canonical(whole, "")
	if fingerprint.IsDisagreement(err) {
		return e, err
	}
	e.Canonical = string(canonical)
	return e, nil
}

// masked says whether some of the value must not be shown.
func (r *Recipe) masked(e *Entry, v *fingerprint.Value) bool { return r.maskField(e, v) != v }

// maskField gives the value to show for a field: itself where nothing in it
// is sensitive. Where the recipe is silent, and for inputs, which it cannot
// point at, looks decide.
func (r *Recipe) maskField(e *Entry, v *fingerprint.Value) *fingerprint.Value {
	if e.Input != "" {
		return mask(v, e.Name, nil, nil)
	}
	name := e.Name
	if len(e.Pointer) > 0 {
		name = e.Pointer[len(e.Pointer)-1]
	}
	return mask(v, name, e.Pointer, r.Sensitive)
}

// mask gives v with what is sensitive replaced, v itself where nothing is.
// place is where v stands in the payload.
func mask(v *fingerprint.Value, name string, place fingerprint.Pointer, sensitive []fingerprint.Pointer) *fingerprint.Value {
	if sensitive == nil && fingerprint.Private(name, v) {
		return fingerprint.String(sensitiveMark)
	}
	for _, p := range sensitive {
		if p.Covers(place) {
			return fingerprint.String(sensitiveMark)
		}
	}
	changed := false
	c := *v
	c.Items, c.Members = nil, nil
	for i, item := range v.Items {
		shown := mask(item, name, append(place[:len(place):len(place)], itoa(i)), sensitive)
		changed = changed || shown != item
		c.Items = append(c.Items, shown)
	}
	for _, m := range v.Members {
		shown := fingerprint.Member{Name: m.Name, Value: mask(m.Value, m.Name, append(place[:len(place):len(place)], m.Name), sensitive)}
		if sensitive == nil && fingerprint.Looks("", fingerprint.String(m.Name)) != "" {
			shown.Name = sensitiveMark + " " + itoa(len(c.Members)) // names must differ
		}
		changed = changed || shown.Name != m.Name || shown.Value != m.Value
		c.Members = append(c.Members, shown)
	}
	if !changed {
		return v
	}
	return &c
}
