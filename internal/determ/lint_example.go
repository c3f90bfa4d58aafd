package determ

import (
	"errors"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// example recomputes the example under the public test secret, and judges the
// fields by the values that it gives them.
func (l *linter) example() {
	r := l.recipe
	if r.Example == nil {
		l.add("example-missing", LevelWarning, r.node, "example: {payload: {...}, inputs: {...}}; lint then tells the id",
			"there is no example, so nobody notices when the recipe's IDs change")
		return
	}
	at := r.node.Lookup("example")
	payload, inputs, err := r.Example.values()
	if err == nil {
		err = r.CheckInputs(inputs)
	}
	var selected *Selected
	if err == nil {
		selected, err = r.Select(payload, inputs)
	}
	if err != nil {
		l.add("example-fails", LevelError, at, problem.Hint(err), "the example has no ID: "+err.Error())
		return
	}
	l.selected = selected
	l.exampleID(at)
	for _, f := range selected.Fields {
		if f.Value == nil {
			continue
		}
		l.emptyValue(f)
		l.volatileValue(f)
	}
	l.privateValues(payload, inputs)
}

func (l *linter) exampleID(at *document.Node) {
	r := l.recipe
	d, err := r.Identify(l.selected, TestSecret(r.Key.Kid))
	if err != nil {
		l.add("example-fails", LevelError, at, problem.Hint(err), "the example has no ID: "+err.Error())
		return
	}
	hint := "id: " + d.ID
	switch id := at.Lookup("id"); {
	case r.Example.ID == "":
		l.add("example-id-missing", LevelError, at, hint, "the example has no id to hold the recipe to")
	case r.Example.ID != d.ID:
		l.add("example-wrong", LevelError, id, hint+"   (where the change is meant, and under a new version)",
			"the example's id no longer holds: the recipe gives another one under the public test secret")
	}
}

// values reads the example as a payload and inputs are read.
func (e *Example) values() (*fingerprint.Value, Inputs, error) {
	payload, err := fingerprint.Parse(e.Payload.JSON())
	if err != nil {
		return nil, nil, exampleProblem("payload", err)
	}
	inputs := Inputs{}
	if e.Inputs == nil {
		return payload, inputs, nil
	}
	for _, m := range e.Inputs.Members {
		if inputs[m.Name], err = fingerprint.Parse(m.Value.JSON()); err != nil {
			return nil, nil, exampleProblem("input "+document.Show(m.Name), err)
		}
	}
	return payload, inputs, nil
}

// exampleProblem leaves byte offsets out: they are not of the file.
func exampleProblem(what string, err error) error {
	var e *fingerprint.Error
	if errors.As(err, &e) && e.Pointer != "" {
		return problem.New("", "%s: %s: %s", what, e.Pointer, e.Detail)
	} else if errors.As(err, &e) {
		return problem.New("", "%s: %s", what, e.Detail)
	}
	return problem.New("", "%s: %s", what, err)
}

// emptyValue: a field that is empty tells no operations apart.
func (l *linter) emptyValue(f Field) {
	v := f.Value
	const hint = "take a field that always has a value, or refuse the payload before it gets here"
	switch {
	case v.Kind == fingerprint.KindNull:
		l.about(f.Entry, "empty-value", LevelWarning, hint, "is null in the example: all operations with null there are one")
	case v.Kind == fingerprint.KindString && strings.TrimSpace(v.Str) == "",
		v.Kind == fingerprint.KindArray && len(v.Items) == 0,
		v.Kind == fingerprint.KindObject && len(v.Members) == 0:
		l.about(f.Entry, "empty-value", LevelError, hint, "is empty in the example: all operations with an empty one are one")
	case v.Kind == fingerprint.KindString && isPlaceholder(v.Str):
		l.about(f.Entry, "empty-value", LevelWarning, hint, "holds a word that stands for no value in the example")
	}
}

func isPlaceholder(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "null", "nil", "none", "undefined", "nan", "n/a", "na", "unknown", "todo", "tbd", "-", "00000000-0000-0000-0000-000000000000":
		return true
	}
	return false
}

// volatileValue finds values that are new for each attempt by what they are.
func (l *linter) volatileValue(f Field) {
	name := words(f.Entry.Name)
	if n := len(f.Entry.Pointer); n > 0 {
		name = append(name, words(f.Entry.Pointer[n-1])...)
	}
	eachLeaf(f.Value, func(v *fingerprint.Value) {
		switch what := valueKind(v, name); what {
		case moment:
			if anyOf(name, strings.Fields("scheduled schedule due start starts end ends valid effective expires expiry period departure arrival booking appointment slot from until since")) {
				l.about(f.Entry, "volatile-time", LevelWarning, "make sure that it is the business's time, and not the time of the attempt", "is a time in the example")
				return
			}
			l.about(f.Entry, "volatile-time", LevelError, stayHint, "is a time in the example: made for each attempt, it gives a retry another ID")
		case ciphertext:
			l.about(f.Entry, "volatile-ciphertext", LevelError, plainHint,
				"is encrypted in the example: encrypting again gives other bytes, and a retry another ID")
		case randomID:
			own, from := fieldWords(f.Entry)
			if len(own)+len(from) > 0 {
				return // the number of something, a cart or an order, is made once
			}
			l.about(f.Entry, "volatile-id", LevelWarning, "make sure that it is stored before the first attempt", "is a random id in the example: made for each attempt, it gives a retry another ID")
		}
	})
}

func eachLeaf(v *fingerprint.Value, visit func(*fingerprint.Value)) {
	visit(v)
	for _, item := range v.Items {
		eachLeaf(item, visit)
	}
	for _, m := range v.Members {
		eachLeaf(m.Value, visit)
	}
}

// privateValues finds what can be guessed and is not called sensitive: it
// would be printed, and be guessed from an unkeyed fingerprint.
func (l *linter) privateValues(payload *fingerprint.Value, inputs Inputs) {
	r := l.recipe
	for _, f := range l.selected.Fields {
		if f.Value == nil || f.Entry.Input != "" {
			continue
		}
		finding, found := f.Value.FindSensitive(nil)
		if what := fingerprint.Looks(lastToken(f.Entry), f.Value); what != "" {
			finding, found = fingerprint.Finding{What: "looks like " + what}, true
		}
		if !found || covered(r.Sensitive, f.Entry.Pointer.String()+finding.Pointer) {
			continue
		}
		pointer := f.Entry.Pointer.String() + finding.Pointer
		l.about(f.Entry, "private-value", LevelError, "sensitive: ["+pointer+"]",
			finding.What+", which can be guessed, and the recipe does not call it sensitive")
	}
	l.otherPrivate(payload)
}

// otherPrivate looks at the payload outside the identity. Where the recipe
// says what is sensitive, nothing else is protected; where it is silent, looks
// decide at run time.
func (l *linter) otherPrivate(payload *fingerprint.Value) {
	at := l.recipe.node.Lookup("example").Lookup("payload")
	level := LevelWarning
	if l.recipe.Sensitive != nil {
		level = LevelError
	}
	rest := payload
	for range 100 {
		finding, found := rest.FindSensitive(nil)
		if !found {
			return
		}
		place, err := fingerprint.ParsePointer(finding.Pointer)
		if err != nil {
			return
		}
		if !covered(l.recipe.Sensitive, finding.Pointer) && !l.selects(place) {
			l.add("private-value", level, at, "sensitive: ["+finding.Pointer+"]",
				finding.Pointer+" "+finding.What+", which can be guessed, and the recipe does not call it sensitive")
			return
		}
		rest = without(rest, place)
	}
}

func lastToken(e *Entry) string {
	if len(e.Pointer) == 0 {
		return e.Name
	}
	return e.Pointer[len(e.Pointer)-1]
}

func covered(sensitive []fingerprint.Pointer, pointer string) bool {
	place, err := fingerprint.ParsePointer(pointer)
	for _, p := range sensitive {
		if err != nil || p.Covers(place) {
			return true
		}
	}
	return false
}

func (l *linter) selects(place fingerprint.Pointer) bool {
	for _, e := range l.recipe.Identity {
		if e.Input == "" && e.Pointer.Covers(place) {
			return true
		}
	}
	return false
}

// without gives v with a null at a place, so that the next finding shows.
func without(v *fingerprint.Value, place fingerprint.Pointer) *fingerprint.Value {
	if len(place) == 0 {
		return fingerprint.Null()
	}
	c := *v
	c.Items = append([]*fingerprint.Value(nil), v.Items...)
	for i := range c.Items {
		if itoa(i) == place[0] {
			c.Items[i] = without(c.Items[i], place[1:])
		}
	}
	c.Members = append([]fingerprint.Member(nil), v.Members...)
	for i := range c.Members {
		if c.Members[i].Name == place[0] {
			c.Members[i].Value = without(c.Members[i].Value, place[1:])
		}
	}
	return &c
}
