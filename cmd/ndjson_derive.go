package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/stream"
)

// deriveSingle are the flags of derive that are for one payload.
var deriveSingle = map[string]string{
	"check":   "idem derive -r RECIPE --check ID FILE, for one payload",
	"explain": "idem derive -r RECIPE --explain FILE, for one payload",
}

// derivePerLine gives what derive does with each line. Keys are loaded once.
func derivePerLine(ctx context.Context, app *App, o *deriveOptions, r *determ.Recipe, inputs determ.Inputs) (perLine, error) {
	do := perLine{file: o.file, class: classRecipe}
	annotator, err := o.fitAnnotate(r)
	if err != nil {
		return do, err
	}
	versions, err := o.versions(r, o.withListed)
	if err != nil {
		return do, err
	}
	ring := recipeRing(app, r, o.recipe, o.allowTestSecret)
	secrets := make([]*determ.Secret, len(versions))
	for i, v := range versions {
		if secrets[i], err = ring.Load(ctx, v.Recipe.Key); err != nil {
			return do, ofVersion(v, err)
		}
	}
	if o.stream.onError == "emit" {
		versions = valueless(versions)
	}
	ids, err := newIDLine(o, versions)
	if err != nil {
		return do, err
	}
	do.newWork = func() (stream.Work, error) {
		derivers := make([]*determ.Deriver, len(versions))
		for i, v := range versions {
			d, err := v.Recipe.Deriver(inputsOf(v.Recipe, inputs), secrets[i])
			if err != nil {
				return nil, ofVersion(v, ofKey(v.Recipe, err))
			}
			derivers[i] = d
		}
		return annotating(annotator, ids.work(versions, derivers)), nil
	}
	do.hopeless = func(head []byte) error { return fingerprint.Mask(refuseHead(head), r.Sensitive) }
	return do, nil
}

// inputsOf gives those of the inputs that one version names: another may name
// others.
func inputsOf(r *determ.Recipe, inputs determ.Inputs) determ.Inputs {
	own := determ.Inputs{}
	for _, e := range r.Identity {
		if v := inputs[e.Input]; v != nil {
			own[e.Input] = v
		}
	}
	return own
}

// fitAnnotate gives what puts IDs into records, nil where nobody asks for it.
func (o *deriveOptions) fitAnnotate(r *determ.Recipe) (*fingerprint.Annotator, error) {
	a, err := o.stream.annotator()
	if a == nil || err != nil {
		return nil, err
	}
	if o.withListed {
		return nil, problem.New("--annotate", "it takes one ID, and --with-listed gives one of each version").WithHint("leave --with-listed out")
	}
	if err := o.stream.fitFormat(o.format); err != nil {
		return nil, err
	}
	for _, v := range r.All() {
		if err := fitIdentity(v, o.stream.annotate); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// fitIdentity refuses a member that one of the recipe's versions takes into
// the identity: the record with it would be another operation.
func fitIdentity(v determ.Listed, member string) error {
	for _, e := range v.Recipe.Identity {
		if e.Input != "" || len(e.Pointer) > 0 && e.Pointer[0] != member {
			continue
		}
		err := problem.New("--annotate", "the recipe takes %s into the identity, and no record could be derived from again", e.Place())
		if v.State != determ.Current {
			err = problem.New("--annotate", "the %s version %d takes %s into the identity, and no record could be derived from again", v.State, v.Recipe.Version, e.Place())
		}
		if len(e.Pointer) == 0 {
			return err.WithHint("leave --annotate out, or name in the identity what makes the operation: identity: {cart: /cart/id}")
		}
		return err.WithHint("--annotate with another name")
	}
	return nil
}

// valueless gives the same versions, whose errors show no value of a payload.
func valueless(versions []determ.Listed) []determ.Listed {
	versions = slices.Clone(versions)
	for i := range versions {
		versions[i].Recipe = versions[i].Recipe.Valueless()
	}
	return versions
}

// idLine is the form of a line of IDs: what stands before each of them, and
// behind the last.
type idLine struct {
	between [][]byte
	of      []int // which version's ID stands there
}

// newIDLine makes IDs parted by tabs, the current one first, or an object.
func newIDLine(o *deriveOptions, versions []determ.Listed) (*idLine, error) {
	l := &idLine{}
	if o.format != "json" {
		for i := range versions {
			l.of = append(l.of, i)
			l.between = append(l.between, []byte("\t"))
		}
		l.between[0] = nil
		l.between = append(l.between, nil)
		return l, nil
	}
	const id = "@" // which is in no ID, kid or state
	report := deriveReport{Idem: "derive/v1", ID: id, Version: versions[0].Recipe.Version, Kid: versions[0].Recipe.Key.Kid}
	l.of = []int{0}
	if o.withListed {
		for i, v := range versions {
			report.Listed = append(report.Listed, newListedID(v, id))
			l.of = append(l.of, i)
		}
	}
	text, err := json.Marshal(report)
	if err != nil {
		return nil, err
	}
	l.between = bytes.Split(text, []byte(id))
	return l, nil
}

// work derives the IDs of one line. One that cannot be derived fails them all.
func (l *idLine) work(versions []determ.Listed, derivers []*determ.Deriver) stream.Work {
	if len(derivers) == 1 && len(l.of) == 1 && len(l.between[0]) == 0 {
		return derivers[0].Append
	}
	ids := make([][]byte, len(derivers))
	return func(out, line []byte) ([]byte, error) {
		for i, d := range derivers {
			var err error
			if ids[i], err = d.Append(ids[i][:0], line); err != nil {
				return out, ofVersion(versions[i], err)
			}
		}
		for i, which := range l.of {
			out = append(append(out, l.between[i]...), ids[which]...)
		}
		return append(out, l.between[len(l.of)]...), nil
	}
}
