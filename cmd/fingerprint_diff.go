package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// diffReport is what --diff says of two payloads.
type diffReport struct {
	First       string           `json:"first"`
	Second      string           `json:"second"`
	Numbers     string           `json:"numbers"`
	Same        bool             `json:"same"`
	SameID      *bool            `json:"same_id,omitempty"`        // with a recipe: whether both get one ID
	Changed     []string         `json:"changed_fields,omitempty"` // of the recipe's identity
	NoID        string           `json:"no_id,omitempty"`          // with a recipe: why one of them gets no ID at all
	Differences []diffDifference `json:"differences"`
}

type diffDifference struct {
	fingerprint.Difference
	Identity string `json:"identity,omitempty"` // the identity field that it touches
}

// maxToldDifferences bounds the text for people; JSON has them all.
const maxToldDifferences = 200

func runDiff(app *App, o *fingerprintOptions, recipe *determ.Recipe, p fingerprint.Policy) error {
	if len(o.files) != 2 || (o.files[0] == "-" && o.files[1] == "-") {
		return problem.New("--diff", "it compares two files, and %s", given(len(o.files))).
			WithHint("idem fingerprint --diff sent.json sent-again.json")
	}
	ignore, err := parsePointers("--ignore", o.request.ignore)
	if err != nil {
		return err
	}
	var whole, values [2]*fingerprint.Value
	for i, file := range o.files {
		if whole[i], err = readValue(app, file, p.Sensitive); err != nil {
			return err
		}
		if values[i], err = whole[i].Without(ignore); err != nil {
			return problem.New("--ignore", "%s", err)
		}
		if err := crossChecked(values[i], p.Engine); err != nil {
			return inFile(file, err)
		}
	}
	options := fingerprint.DiffOptions{Numbers: p.Numbers, Sensitive: p.Sensitive, Looks: p.Looks, Public: o.public}
	r := &diffReport{First: inputName(o.files[0]), Second: inputName(o.files[1]), Numbers: p.Numbers.String()}
	if recipe != nil {
		options.Named = identityPlaces(recipe)
		if err := r.compareIdentities(recipe, whole); err != nil {
			return err
		}
	}
	r.list(recipe, fingerprint.Diff(values[0], values[1], options))
	if o.format == "json" {
		err = writeJSON(app, r)
	} else {
		err = writeText(app, r.text())
	}
	if err != nil || r.Same {
		return err
	}
	return exitWith(ExitBroken)
}

// identityPlaces are the places that a recipe's identity names.
func identityPlaces(recipe *determ.Recipe) []fingerprint.Pointer {
	var places []fingerprint.Pointer
	for i := range recipe.Identity {
		places = append(places, recipe.Identity[i].Pointer)
	}
	return places
}

func readValue(app *App, file string, sensitive []fingerprint.Pointer) (*fingerprint.Value, error) {
	src, err := readDocument(app, file, sensitive)
	if err != nil {
		return nil, err
	}
	v, err := fingerprint.Parse(src)
	if err != nil {
		return nil, app.advised(file, src, inFile(file, fingerprint.Mask(err, sensitive)))
	}
	return v, nil
}

// compareIdentities says whether the payloads get one ID, given the same
// inputs. The identities themselves are compared: a place may change and its
// field not, by a transform, and a field without its place, where a list moved.
// Nothing is ignored here, as derive ignores nothing.
func (r *diffReport) compareIdentities(recipe *determ.Recipe, whole [2]*fingerprint.Value) error {
	var pointed [2]*determ.Pointed
	for i, name := range []string{r.First, r.Second} {
		var err error
		if pointed[i], err = recipe.Pointed(whole[i]); err != nil {
			if fingerprint.IsDisagreement(err) {
				return problem.New(name, "%s", err).WithHint("%s", problem.Hint(err))
			}
			r.NoID = name + ": " + err.Error()
			return nil
		}
	}
	r.Changed = pointed[0].Changed(pointed[1])
	same := len(r.Changed) == 0
	r.SameID = &same
	return nil
}

// crossChecked gives the error of two engines that differ on a value's
// canonical form. Values are compared as they are; that their forms differ
// where the values do is what the comparison says.
func crossChecked(v *fingerprint.Value, engine fingerprint.Engine) error {
	if engine != fingerprint.CrossCheck {
		return nil
	}
	c := fingerprint.Canonicaliser{Numbers: fingerprint.IEEE754, Engine: engine}
	_, err := c.AppendValue(nil, v, "")
	return err
}

// list takes the differences, each with the identity field that it changes.
func (r *diffReport) list(recipe *determ.Recipe, found []fingerprint.Difference) {
	r.Same = fingerprint.SameOperation(found)
	r.Differences = make([]diffDifference, 0, len(found))
	for _, d := range found {
		field := ""
		if recipe != nil && d.Matters {
			field = r.touched(recipe, d)
		}
		r.Differences = append(r.Differences, diffDifference{d, field})
	}
}

// touched gives the changed identity field that a difference lies in, or holds.
func (r *diffReport) touched(recipe *determ.Recipe, d fingerprint.Difference) string {
	for _, text := range []string{d.Pointer, d.Other} {
		place, err := fingerprint.ParsePointer(text)
		if err != nil || (text == "" && d.Pointer != "") {
			continue
		}
		for _, e := range recipe.Identity {
			if e.Input == "" && slices.Contains(r.Changed, e.Name) && (e.Pointer.Covers(place) || place.Covers(e.Pointer)) {
				return e.Name
			}
		}
	}
	return ""
}

// text is the report for a person: the verdict, what makes the payloads
// different, then what only looks so.
func (r *diffReport) text() string {
	var matter, rest []diffDifference
	for _, d := range r.Differences {
		if d.Matters {
			matter = append(matter, d)
		} else {
			rest = append(rest, d)
		}
	}
	var b strings.Builder
	first, second := problem.Line(r.First), problem.Line(r.Second)
	switch {
	case !r.Same:
		fmt.Fprintf(&b, "different: %s and %s differ at %s\n", first, second, places(len(matter)))
		writeDifferences(&b, matter)
	case len(rest) == 0:
		fmt.Fprintf(&b, "same: %s and %s have one canonical form\n", first, second)
	default:
		fmt.Fprintf(&b, "same: %s and %s are the same operation\n", first, second)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "not counted as a difference (numbers: %s):\n", r.Numbers)
		writeDifferences(&b, rest)
	}
	b.WriteString(r.identityText())
	return b.String()
}

// identityText says what a recipe makes of the payloads, nothing without one,
// and nothing where that goes without saying.
func (r *diffReport) identityText() string {
	switch {
	case r.NoID != "":
		return "identity: none, since derive refuses " + problem.Line(r.NoID) + "\n"
	case r.SameID == nil || r.Same && *r.SameID:
		return ""
	case *r.SameID:
		return "identity: untouched, so both get one ID, and an API that compares requests answers the second with a conflict\n"
	}
	names := make([]string, len(r.Changed))
	for i, name := range r.Changed {
		names[i] = document.Show(name)
	}
	return "identity: touched (" + strings.Join(names, ", ") + "), so each gets an ID of its own\n"
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

func writeDifferences(b *strings.Builder, all []diffDifference) {
	for i, d := range all {
		if i == maxToldDifferences {
			fmt.Fprintf(b, "  and %d more; --format json has them all\n", len(all)-i)
			return
		}
		fmt.Fprintf(b, "  %s  %s", shownPlace(d), d.Change)
		switch {
		case d.Before != "" && d.After != "":
			fmt.Fprintf(b, "  %s -> %s", problem.Line(d.Before), problem.Line(d.After))
		case d.Before != "" || d.After != "":
			fmt.Fprintf(b, "  %s", problem.Line(d.Before+d.After))
		}
		if d.Identity != "" {
			fmt.Fprintf(b, "  (identity field %s)", document.Show(d.Identity))
		}
		b.WriteByte('\n')
		if d.Note != "" {
			fmt.Fprintf(b, "      %s\n", problem.Line(d.Note))
		}
	}
}

func shownPlace(d diffDifference) string {
	place := problem.Line(d.Pointer)
	if place == "" {
		place = "the whole payload"
	}
	if d.Other != "" {
		place += " (now " + problem.Line(d.Other) + ")"
	}
	return place
}

func writeJSON(app *App, v any) error {
	line, err := jsonLine(v)
	if err != nil {
		return err
	}
	return writeText(app, string(line))
}

// jsonLine gives a value on one line, with its line feed; < and > stay as they are.
func jsonLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return plainJSON(b.Bytes()), nil
}

func writeText(app *App, s string) error {
	if _, err := app.Out.Write([]byte(s)); err != nil {
		return problem.New("standard output", "cannot be written: %s", reason(err))
	}
	return nil
}
