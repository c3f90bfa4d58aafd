package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/keysource"
	"github.com/idem-toolkit/idem/internal/problem"
)

type deriveOptions struct {
	recipe          string
	file            string
	inputs          []string
	jsonInputs      []string
	fileInputs      []string
	withListed      bool
	check           string
	checking        bool
	explain         bool
	format          string
	allowTestSecret bool
	engine          engineFlags
	stream          streamFlags
}

func newDeriveCmd(app *App) *cobra.Command {
	o := &deriveOptions{}
	c := &cobra.Command{
		Use:   "derive -r RECIPE [FILE|-]",
		Short: "derive an operation's ID from its payload by a recipe",
		Long: `Derive the ID of an operation from its payload, by a recipe and the secret that the
recipe names. The same operation always gets the same ID, so that a retry can be told
from a new operation. Without FILE, or with -, the payload is read from standard input.

While a recipe or its secret changes, --with-listed prints the IDs of every version to
look up, the current one first, and --check says which version made an ID.

With --ndjson every line of the input is a payload, and a line with its ID comes out for
each, in order, on all cores; --with-listed parts the IDs of a line by tabs. --annotate
writes the payloads back with their IDs. Blank lines stay blank.`,
		Example: `  idem derive -r charge.yaml payload.json
  idem derive -r charge.yaml --input tenant=acme - < payload.json
  idem derive -r charge.yaml payload.json --check chg_1_8z9...
  idem derive -r charge.yaml payload.json --explain
  idem derive -r charge.yaml --ndjson --annotate idem_id charges.ndjson`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = "-"
			if len(args) == 1 {
				o.file = args[0]
			}
			o.checking = c.Flags().Changed("check")
			if err := o.stream.fit(c, deriveSingle); err != nil {
				return err
			}
			var lines perLine
			err := unlessBrief(c.Context(), o.reads(), func() error { return interrupted(runDerive(c.Context(), app, o, &lines)) })
			if err != nil || !o.stream.on {
				return err
			}
			return o.stream.run(c.Context(), app, lines)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.recipe, "recipe", "r", "", "the recipe `file`")
	f.StringArrayVar(&o.inputs, "input", nil, "give an input of the recipe as text, `NAME=VALUE`; may be repeated")
	f.StringArrayVar(&o.jsonInputs, "input-json", nil, "give an input of the recipe as JSON, `NAME=JSON`; may be repeated")
	f.StringArrayVar(&o.fileInputs, "input-file", nil, "give an input of the recipe as the text of a file, `NAME=FILE`, less one line break at its end; may be repeated")
	f.BoolVar(&o.withListed, "with-listed", false, "print the IDs of the current, next and previous versions")
	f.StringVar(&o.check, "check", "", "say which listed version made this `ID` of the payload; exit 1 where none did")
	f.BoolVar(&o.explain, "explain", false, "say how the ID comes about, sensitive values and secrets masked")
	allowEmpty(f, "check") // it is no ID, as another wrong one is none
	f.StringVar(&o.format, "format", "text", "text or json")
	f.BoolVar(&o.allowTestSecret, "allow-test-secret", false, allowTestSecretUsage)
	o.engine.registerCross(f)
	o.stream.register(f)
	o.stream.registerAnnotate(f)
	return c
}

// runDerive derives, or with --ndjson gives what is to be done with each line.
func runDerive(ctx context.Context, app *App, o *deriveOptions, lines *perLine) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if o.recipe == "" {
		return problem.New("", "no recipe is named").WithHint("idem derive -r RECIPE %s", fileWord(o.file, "FILE"))
	}
	if o.recipe == "-" && o.file == "-" {
		return problem.New("", "recipe and payload cannot both be standard input").WithHint("idem derive -r - FILE")
	}
	engine, err := o.engine.engine()
	if err != nil {
		return err
	}
	r, err := readRecipe(app, o.recipe, engine)
	if err != nil {
		return err
	}
	inputs, err := readInputs(app, o)
	if err != nil {
		return err
	}
	if err := r.CheckInputs(inputs); err != nil {
		return err
	}
	if o.stream.on {
		*lines, err = derivePerLine(ctx, app, o, r, inputs)
		return err
	}
	ids, err := deriveAll(ctx, app, o, r, inputs)
	if err != nil {
		return err
	}
	if o.checking {
		return tellMatch(app.Out, o, ids)
	}
	return tellIDs(app.Out, o, ids)
}

// listedID is the ID of one version.
type listedID struct {
	State   determ.State `json:"state"`
	Version int          `json:"version"`
	Kid     string       `json:"kid"`
	Until   *time.Time   `json:"until,omitempty"`
	ID      string       `json:"id"`

	Explain *determ.Explanation `json:"explain,omitempty"`
	derived *determ.Derived
}

func newListedID(v determ.Listed, id string) listedID {
	l := listedID{State: v.State, Version: v.Recipe.Version, Kid: v.Recipe.Key.Kid, ID: id}
	if v.State == determ.Previous {
		l.Until = &v.Until
	}
	return l
}

// deriveAll derives the current ID, and the listed ones where they are asked
// for. One that cannot be derived fails them all: a shortened list would call
// an operation new that is not (determ-v1, Changing a recipe).
func deriveAll(ctx context.Context, app *App, o *deriveOptions, r *determ.Recipe, inputs determ.Inputs) ([]listedID, error) {
	versions, err := o.versions(r, o.withListed || o.checking)
	if err != nil {
		return nil, err
	}
	payload, err := readPayload(app, o.file, r)
	if err != nil {
		return nil, err
	}
	selected := make([]*determ.Selected, len(versions))
	for i, v := range versions {
		if selected[i], err = v.Recipe.Select(payload, inputs); err != nil {
			return nil, ofVersion(v, app.listed(payload, o.file, inPayload(o.file, err)))
		}
	}
	ring := recipeRing(app, r, o.recipe, o.allowTestSecret)
	ids := make([]listedID, 0, len(versions))
	for i, v := range versions {
		secret, err := ring.Load(ctx, v.Recipe.Key)
		if err != nil {
			return nil, ofVersion(v, err)
		}
		d, err := v.Recipe.Identify(selected[i], secret)
		if err != nil {
			return nil, ofVersion(v, ofKey(v.Recipe, err))
		}
		id := newListedID(v, d.ID)
		id.derived = d
		if o.explain {
			e, err := d.Explain()
			if err != nil {
				return nil, ofVersion(v, err)
			}
			id.Explain = &e
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// versions gives the current version, or all that are listed. Their keys must
// not be where recipe or payload are read from.
func (o *deriveOptions) versions(r *determ.Recipe, listed bool) ([]determ.Listed, error) {
	versions := r.All()
	if !listed {
		versions = versions[:1]
	}
	if (o.file == "-" || o.recipe == "-") && readsStdin(versions) {
		payload := "payload"
		if o.stream.on {
			payload = "payloads"
		}
		return nil, problem.New("", "the key is to come from descriptor 0, and standard input is read already").WithHint("give recipe and %s as files", payload)
	}
	return versions, nil
}

// inPayload puts the payload's file before an error, unless it is of an input,
// which no file gives.
func inPayload(file string, err error) error {
	if ofInput(err) {
		return err
	}
	return inFile(file, err)
}

// ofKey says where the recipe names the key that an error is of.
func ofKey(r *determ.Recipe, err error) error {
	var p *problem.Error
	if !errors.As(err, &p) || p.Where != "" {
		return err
	}
	return &problem.Error{Where: r.Key.Where, What: "key " + r.Key.Kid + " from " + r.Key.Source.String() + ": " + p.What, Hint: problem.Hint(err), Err: err}
}

// ofVersion says which version an error is of, where it is not the current one.
func ofVersion(v determ.Listed, err error) error {
	if v.State == determ.Current {
		return err
	}
	hint := problem.Hint(err)
	if v.State == determ.Previous && errors.Is(err, keysource.ErrMissing) {
		hint = "bring the key of that version: a new one would make other IDs, and its operations would be done again"
	}
	return &problem.Error{What: fmt.Sprintf("the %s version %d: %s", v.State, v.Recipe.Version, err), Hint: hint, Err: err}
}

func readsStdin(versions []determ.Listed) bool {
	for _, v := range versions {
		key := v.Recipe.Key
		if key.Source.IsFD && key.Source.FD == 0 || key.Passphrase != nil && key.Passphrase.IsFD && key.Passphrase.FD == 0 {
			return true
		}
	}
	return false
}

func readPayload(app *App, file string, r *determ.Recipe) (*fingerprint.Value, error) {
	src, err := readDocument(app, file, r.Sensitive)
	if err != nil {
		return nil, err
	}
	v, err := r.Admit(src)
	if err != nil {
		return nil, app.advised(file, src, inFile(file, err))
	}
	return v, nil
}

// deriveReport is the result as JSON.
type deriveReport struct {
	Idem    string              `json:"idem"`
	ID      string              `json:"id,omitempty"`
	Version int                 `json:"version,omitempty"`
	Kid     string              `json:"kid,omitempty"`
	Listed  []listedID          `json:"listed,omitempty"`
	Explain *determ.Explanation `json:"explain,omitempty"`
}

func tellIDs(out io.Writer, o *deriveOptions, ids []listedID) error {
	if o.format == "json" {
		report := deriveReport{Idem: "derive/v1", ID: ids[0].ID, Version: ids[0].Version, Kid: ids[0].Kid, Explain: ids[0].Explain}
		if o.withListed {
			report.Listed, report.Explain = ids, nil
		}
		return printJSON(out, report)
	}
	for i, id := range ids {
		if !o.explain {
			fmt.Fprintln(out, id.ID)
			continue
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		explainText(out, id)
	}
	return nil
}

// matchReport is the answer to --check as JSON.
type matchReport struct {
	Idem  string    `json:"idem"`
	Check string    `json:"check"`
	Match bool      `json:"match"`
	By    *listedID `json:"by,omitempty"`
}

func tellMatch(out io.Writer, o *deriveOptions, ids []listedID) error {
	derived := make([]*determ.Derived, len(ids))
	for i, id := range ids {
		derived[i] = id.derived
	}
	found := determ.Match(derived, o.check)
	report := matchReport{Idem: "derive-check/v1", Check: problem.MaskKeys(o.check), Match: found >= 0}
	if found >= 0 {
		report.By = &ids[found]
	}
	if o.format == "json" {
		if err := printJSON(out, report); err != nil {
			return err
		}
		if found < 0 {
			return exitWith(ExitBroken)
		}
		return nil
	}
	if found < 0 {
		return &exitCode{code: ExitBroken, err: problem.New("--check", "no listed version makes this ID of this payload")}
	}
	fmt.Fprintf(out, "%s version %d, kid %s\n", ids[found].State, ids[found].Version, ids[found].Kid)
	if o.explain {
		explainText(out, ids[found])
	}
	return nil
}

func checkFormat(format string) error {
	return oneOf("--format", format, "json", "text", "json")
}

// printJSON writes a value and a line feed; < and > stay as they are.
func printJSON(out io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(plainJSON(b.Bytes()))
	return err
}
