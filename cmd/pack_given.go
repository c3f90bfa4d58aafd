package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/pack"
	"github.com/idem-toolkit/idem/internal/problem"
)

// packGiven is what the caller gives for a pack, read.
type packGiven struct {
	source []byte // the contract's
	spec   *contract.Contract
	bodies map[string][]byte // by the path that the contract gives
	inputs []string          // where the bodies were read

	recipe       *determ.Recipe
	recipeFile   string // where it was read
	recipeSource []byte
	findings     []determ.Finding // of lint in it; none is an error

	payload     []byte
	payloadFrom string // the file, or the operation that has it as its body
}

func (o *packOptions) read(app *App) (*packGiven, error) {
	g := &packGiven{bodies: map[string][]byte{}}
	var err error
	if g.source, err = readInput(app, o.contract, mostContract); err != nil {
		return nil, err
	}
	dir := filepath.Dir(o.contract)
	g.spec, err = contract.Parse(inputName(o.contract), g.source, func(path string) ([]byte, error) {
		at, err := plainBody(dir, path)
		if err != nil {
			return nil, err
		}
		g.inputs = append(g.inputs, at)
		g.bodies[path], err = readBody(path, at)
		return g.bodies[path], err
	})
	if err != nil {
		return nil, err
	}
	if err := g.readRecipe(app, o.recipe, dir); err != nil {
		return nil, err
	}
	if err := g.readPayload(app, o.payload); err != nil {
		return nil, err
	}
	return g, g.checkSecrets(o)
}

// readRecipe reads the recipe, from a file that is given or from the one that
// the contract names, and holds it to lock and lint.
func (g *packGiven) readRecipe(app *App, file, dir string) error {
	op := derived(g.spec)
	if op == nil {
		first := g.spec.Operations[0]
		return problem.New(g.spec.Where(first.Key.Pos), "no operation's keys are made by a recipe, and a pack is about one").
			WithHint("key: {header: Idempotency-Key, recipe: %s}", pack.RecipeName)
	}
	for _, other := range g.spec.Operations {
		if other.Key.Recipe != "" && other.Key.Recipe != op.Key.Recipe {
			return problem.New(g.spec.Where(other.Key.Pos), "a second recipe, %s: a pack has one", document.Show(other.Key.Recipe)).
				WithHint("make a contract of its own for %s", document.Show(other.Name))
		}
	}
	if g.recipeFile = file; file == "" {
		g.recipeFile = op.Key.Recipe
		if !filepath.IsAbs(op.Key.Recipe) {
			g.recipeFile = filepath.Join(dir, op.Key.Recipe)
		}
	}
	var err error
	if g.recipeSource, err = readInput(app, g.recipeFile, document.MaxSize); err != nil {
		return err
	}
	if g.recipe, err = determ.Parse(inputName(g.recipeFile), g.recipeSource); err != nil {
		return err
	}
	if err := checkLocks(g.recipe, g.recipeFile); err != nil {
		return err
	}
	return g.lint(app.Now())
}

// lint refuses a recipe that the pack's own gate would not let through.
func (g *packGiven) lint(now time.Time) (err error) {
	g.findings, err = determ.Lint(inputName(g.recipeFile), g.recipeSource, determ.LintOptions{Now: now})
	if err != nil {
		return err
	}
	for _, f := range g.findings {
		if f.Level == determ.LevelError {
			return problem.New(f.Where, "%s", f.Message).WithHint("%s", f.Hint)
		}
	}
	return nil
}

// readPayload reads the payload, or takes the body of the operation for it.
func (g *packGiven) readPayload(app *App, file string) (err error) {
	if file != "" {
		g.payloadFrom = inputName(file)
		g.payload, err = readInput(app, file, mostContract)
		return err
	}
	op := derived(g.spec)
	body := op.Request.Body
	g.payloadFrom = g.spec.Where(body.Pos)
	switch {
	case body.Kind == contract.JSONBody && body.File != "":
		g.payload = g.bodies[body.File]
	case body.Kind == contract.JSONBody:
		var indented bytes.Buffer
		if err := json.Indent(&indented, body.JSON, "", "  "); err != nil {
			return problem.New(g.payloadFrom, "%s", err)
		}
		g.payload = append(indented.Bytes(), '\n')
	default:
		return problem.New(g.spec.Where(op.Pos), "%s has no JSON body that could be the payload", document.Show(op.Name)).
			WithHint("idem pack DIR --contract %s --payload checkout.json", fileWord(g.spec.File, "CONTRACT"))
	}
	return nil
}

func (g *packGiven) checkSecrets(o *packOptions) error {
	type file struct {
		name    string
		content []byte
	}
	files := []file{{inputName(o.contract), g.source}, {inputName(g.recipeFile), g.recipeSource}}
	if o.payload != "" {
		files = append(files, file{inputName(o.payload), g.payload})
	}
	for _, path := range slices.Sorted(maps.Keys(g.bodies)) {
		files = append(files, file{path, g.bodies[path]})
	}
	for _, f := range files {
		if err := pack.CheckSecrets(f.name, f.content); err != nil {
			return err
		}
	}
	return nil
}

// fit refuses a recipe that does not take the payload or a body of the
// contract.
func (g *packGiven) fit() error {
	for i := range g.recipe.Identity {
		if e := &g.recipe.Identity[i]; e.Input != "" {
			return problem.New(inputName(g.recipeFile), "%s of the identity is an input, which neither a contract nor a payload gives", document.Show(e.Name)).
				WithHint("%s: /%s, and the value in the payload", e.Name, e.Name)
		}
	}
	if _, err := g.recipe.Admit(g.payload); err != nil {
		return inFile(g.payloadFrom, err)
	}
	takes := func(where string, payload []byte) error {
		_, err := g.recipe.DeriveText(payload, nil, determ.TestSecret(g.recipe.Key.Kid))
		if err == nil {
			return nil
		}
		hint := problem.Hint(err)
		if hint == "" {
			hint = fmt.Sprintf("give what %s takes: idem derive -r RECIPE --explain PAYLOAD", problem.Line(inputName(g.recipeFile)))
		}
		return problem.New(where, "the recipe %s does not fit: %s", inputName(g.recipeFile), err).WithHint("%s", hint).Because(err)
	}
	if err := takes(g.payloadFrom, g.payload); err != nil {
		return err
	}
	for _, op := range g.spec.Operations {
		if op.Key.Recipe == "" {
			continue
		}
		body, err := recipePayload(op)
		if err == nil {
			err = takes(g.spec.Where(op.Request.Body.Pos), body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recipePayload is what a recipe reads of an operation's body.
func recipePayload(op *contract.Operation) ([]byte, error) {
	b := op.Request.Body
	switch {
	case b.Kind == contract.JSONBody && b.File != "":
		return b.Raw, nil
	case b.Kind == contract.JSONBody:
		return b.JSON, nil
	case b.Kind == contract.FormBody:
		fields := map[string]string{}
		for _, f := range b.Form {
			fields[f[0]] = f[1]
		}
		return json.Marshal(fields)
	}
	return b.Raw, nil
}

// tell says what is otherwise in the pack than it was given, and what is not in
// it.
func (g *packGiven) tell(app *App, carried *pack.Carried, f pack.Filling) error {
	needs, err := pack.Needs(inputName(g.spec.File), g.source)
	if err != nil || app.Quiet {
		return err
	}
	for _, from := range slices.Sorted(maps.Keys(carried.Renamed)) {
		fmt.Fprintf(app.Err, "note: %s is %s in the pack\n", problem.Line(from), carried.Renamed[from])
	}
	for _, need := range needs {
		fmt.Fprintf(app.Err, "note: %s\n", problem.Line(need))
	}
	for _, key := range f.Values.Unbrought {
		fmt.Fprintf(app.Err, "note: the pack's live workflow does not bring the key of %s, %s; for GitHub, write into the recipe: env: IDEM_KEY\n",
			problem.Line(inputName(g.recipeFile)), problem.Line(key))
	}
	if !bytes.Equal(f.Recipe, g.recipeSource) {
		fmt.Fprintf(app.Err, "note: the recipe in the pack has an example, made of the payload, which %s lacks: take it over, and lint tells when IDs change\n",
			problem.Line(inputName(g.recipeFile)))
	}
	if !f.Values.Strict {
		fmt.Fprintf(app.Err, "note: lint warns of the recipe, so the pack's own check of it goes without --strict: idem recipe lint %s\n",
			fileWord(g.recipeFile, "RECIPE"))
	}
	return nil
}
