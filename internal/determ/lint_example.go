package determ

import (
	"errors"

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
	if fingerprint.IsDisagreement(err) {
		l.broken = err
		return
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
	l.privateValues(payload)
	l.sensitivePlaces(payload)
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
	case !same(r.Example.ID, d.ID):
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
