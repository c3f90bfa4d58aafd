package cmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// diffReport is what --diff says of two payloads.
type diffReport struct {
	First       string           `json:"first"`
	Second      string           `json:"second"`
	Numbers     string           `json:"numbers"`
	Same        bool             `json:"same"`
	SameID      *bool            `json:"same_id,omitempty"` // with a recipe: whether its identity is untouched
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
		return problem.New("--diff", "it compares two files, and %d are given", len(o.files)).
			WithHint("idem fingerprint --diff sent.json sent-again.json")
	}
	ignore, err := parsePointers("--ignore", o.request.ignore)
	if err != nil {
		return err
	}
	var values [2]*fingerprint.Value
	for i, file := range o.files {
		if values[i], err = readValue(app, file, ignore, p.Sensitive); err != nil {
			return err
		}
	}
	options := fingerprint.DiffOptions{Numbers: p.Numbers, Sensitive: p.Sensitive, Public: o.public}
	r := newDiffReport(o, recipe, fingerprint.Diff(values[0], values[1], options))
	r.Numbers = p.Numbers.String()
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

// readValue reads a payload less what is ignored.
func readValue(app *App, file string, ignore, sensitive []fingerprint.Pointer) (*fingerprint.Value, error) {
	src, err := readDocument(app, file)
	if err != nil {
		return nil, err
	}
	v, err := fingerprint.Parse(src)
	if err == nil {
		v, err = v.Without(ignore)
	}
	if err != nil {
		return nil, inFile(file, fingerprint.Mask(err, sensitive))
	}
	return v, nil
}

func newDiffReport(o *fingerprintOptions, recipe *determ.Recipe, found []fingerprint.Difference) *diffReport {
	r := &diffReport{
		First: inputName(o.files[0]), Second: inputName(o.files[1]), Same: fingerprint.SameOperation(found),
		Differences: make([]diffDifference, 0, len(found)),
	}
	sameID := true
	for _, d := range found {
		field := ""
		if recipe != nil && d.Matters {
			field = touched(recipe, d)
			sameID = sameID && field == ""
		}
		r.Differences = append(r.Differences, diffDifference{d, field})
	}
	if recipe != nil {
		r.SameID = &sameID
	}
	return r
}

// touched gives the identity field that a difference lies in, or holds.
func touched(recipe *determ.Recipe, d fingerprint.Difference) string {
	for _, text := range []string{d.Pointer, d.Other} {
		place, err := fingerprint.ParsePointer(text)
		if err != nil || (text == "" && d.Pointer != "") {
			continue
		}
		for _, e := range recipe.Identity {
			if e.Input == "" && (e.Pointer.Covers(place) || place.Covers(e.Pointer)) {
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
	switch {
	case !r.Same:
		fmt.Fprintf(&b, "different: %s and %s differ at %s\n", r.First, r.Second, places(len(matter)))
		writeDifferences(&b, matter)
	case len(rest) == 0:
		fmt.Fprintf(&b, "same: %s and %s have one canonical form\n", r.First, r.Second)
	default:
		fmt.Fprintf(&b, "same: %s and %s are the same operation\n", r.First, r.Second)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "no difference to numbers %s:\n", r.Numbers)
		writeDifferences(&b, rest)
	}
	switch {
	case r.Same || r.SameID == nil:
	case *r.SameID:
		b.WriteString("identity: untouched, so both get one ID, and an API that compares requests answers the second with a conflict\n")
	default:
		b.WriteString("identity: touched, so each gets an ID of its own\n")
	}
	return b.String()
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
			fmt.Fprintf(b, "  %s -> %s", d.Before, d.After)
		case d.Before != "" || d.After != "":
			fmt.Fprintf(b, "  %s%s", d.Before, d.After)
		}
		if d.Identity != "" {
			fmt.Fprintf(b, "  (identity field %s)", d.Identity)
		}
		b.WriteByte('\n')
		if d.Note != "" {
			fmt.Fprintf(b, "      %s\n", d.Note)
		}
	}
}

func shownPlace(d diffDifference) string {
	place := fingerprint.Printable(d.Pointer)
	if place == "" {
		place = "the whole payload"
	}
	if d.Other != "" {
		place += " (now " + fingerprint.Printable(d.Other) + ")"
	}
	return place
}

func writeJSON(app *App, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return writeText(app, b.String())
}

func writeText(app *App, s string) error {
	if _, err := app.Out.Write([]byte(s)); err != nil {
		return problem.New("standard output", "cannot be written: %s", reason(err))
	}
	return nil
}
