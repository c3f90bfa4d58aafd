package determ

import (
	"errors"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Inputs are values that are not in the payload, by name.
type Inputs map[string]*fingerprint.Value

// Selected is the identity of one payload under one version of a recipe.
type Selected struct {
	Fields    []Field
	Canonical []byte // M, the RFC 8785 bytes of the identity

	value *fingerprint.Value
}

// Field is one identity entry with its value, after transforms. Value is nil
// where an absent one was left out.
type Field struct {
	Entry *Entry
	Value *fingerprint.Value
}

// Select takes the identity out of an admitted payload and canonicalises it
// (determ-v1, Steps 1 and 2). Errors name the pointer or input, and never
// show a value that the recipe calls sensitive.
func (r *Recipe) Select(payload *fingerprint.Value, inputs Inputs) (*Selected, error) {
	s := &Selected{value: fingerprint.Object()}
	for i := range r.Identity {
		e := &r.Identity[i]
		v, err := r.take(e, payload, inputs)
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, Field{e, v})
		if v != nil {
			s.value.Members = append(s.value.Members, fingerprint.Member{Name: e.Name, Value: v})
		}
	}
	if len(s.value.Members) == 0 {
		return nil, problem.New("", "nothing is left in the identity: every field is absent, and every payload like it would be the same operation").
			WithHint("when_absent: refuse, with one field at least")
	}
	var err error
	if s.Canonical, err = r.canonical(s.value, ""); err != nil {
		return nil, r.locate(s, err)
	}
	return s, nil
}

// locate finds the field at which the identity has no canonical form, so that
// the error names the place in the payload.
func (r *Recipe) locate(s *Selected, err error) error {
	for _, f := range s.Fields {
		if f.Value == nil {
			continue
		}
		at := ""
		if f.Entry.Input == "" {
			at = f.Entry.Pointer.String()
		}
		_, ferr := r.canonical(f.Value, at)
		if ferr == nil {
			continue
		}
		if f.Entry.Input == "" {
			return r.hide(ferr)
		}
		var e *fingerprint.Error
		if errors.As(ferr, &e) {
			return problem.New(f.Entry.Place()+e.Pointer, "%s", e.Detail).WithHint("%s", problem.Hint(ferr))
		}
		return problem.New(f.Entry.Place(), "%s", ferr)
	}
	return err
}

// take gives the value of one entry, nil where it is absent and left out.
func (r *Recipe) take(e *Entry, payload *fingerprint.Value, inputs Inputs) (*fingerprint.Value, error) {
	v, found := inputs[e.Input], false
	if e.Input != "" {
		found = v != nil
	} else {
		v, found = payload.At(e.Pointer)
	}
	if !found {
		if e.OmitAbsent {
			return nil, nil
		}
		return nil, e.absent()
	}
	if v.Kind == fingerprint.KindNull {
		if e.AllowNull {
			return v, nil
		}
		return nil, e.fail("is null").WithHint("a null identity field makes operations one that are not; where it is meant: when_null: allow")
	}
	if !e.hasType(v) {
		return nil, e.fail("is of type %s, and the recipe says %s", v.Kind, e.Type)
	}
	return r.transform(e, v)
}

func (e *Entry) absent() error {
	err := e.fail("is absent")
	if e.Input != "" {
		return err.WithHint("--input %s=VALUE", e.Input)
	}
	return err.WithHint("the identity needs it; where it may be missing: when_absent: omit")
}

// fail makes a problem at the entry's place.
func (e *Entry) fail(format string, args ...any) *problem.Error {
	return problem.New(e.Place(), "identity field "+document.Show(e.Name)+" "+format, args...)
}

func (e *Entry) hasType(v *fingerprint.Value) bool {
	switch e.Type {
	case "string":
		return v.Kind == fingerprint.KindString
	case "boolean":
		return v.Kind == fingerprint.KindBool
	case "number":
		return v.Kind == fingerprint.KindNumber
	case "integer":
		return v.Kind == fingerprint.KindNumber && isIntegral(v.Number)
	}
	return true
}

// isIntegral says whether a JSON number has no fraction, however it is
// spelled: 3, 3.0 and 30e-1 have none.
func isIntegral(literal string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(literal, "-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	if digits == "" {
		return true // zero
	}
	shift := 0
	if exponent != "" {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil {
			return !strings.HasPrefix(exponent, "-")
		}
	}
	return len(digits) <= len(whole)+shift
}

func (r *Recipe) transform(e *Entry, v *fingerprint.Value) (*fingerprint.Value, error) {
	if len(e.Transforms) == 0 {
		return v, nil
	}
	if v.Kind != fingerprint.KindString {
		return nil, e.fail("is %s, and transforms work on strings", withArticle(v.Kind))
	}
	s := v.Str
	for _, t := range e.Transforms {
		var err error
		if s, err = t.Apply(s); err == nil {
			continue
		}
		if r.valueless || r.masked(e, v) {
			return nil, e.fail("holds a character that %s cannot take", t)
		}
		var p *problem.Error
		if errors.As(err, &p) {
			return nil, e.fail("cannot be changed by %s: %s", t, p.What)
		}
		return nil, e.fail("cannot be changed by %s", t)
	}
	return fingerprint.String(s), nil
}

func withArticle(k fingerprint.Kind) string {
	if k == fingerprint.KindArray || k == fingerprint.KindObject {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// CheckInputs refuses an input that no version of the recipe names.
func (r *Recipe) CheckInputs(inputs Inputs) error {
	known := []string{}
	for _, l := range r.All() {
		for _, e := range l.Recipe.Identity {
			if e.Input != "" {
				known = append(known, e.Input)
			}
		}
	}
	names := make([]string, 0, len(inputs))
	for name := range inputs {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		hint := "leave it out"
		if len(known) > 0 {
			hint = "the recipe names " + strings.Join(known, ", ")
		}
		return problem.New("input "+document.Show(name), "the recipe names no such input").MeaningOr(name, known, "%s", hint)
	}
	return nil
}
