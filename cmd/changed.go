package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

type changedOptions struct {
	files  []string
	base   string
	recipe string
	format string
	ignore []string
	engine engineFlags
}

func newChangedCmd(app *App) *cobra.Command {
	o := &changedOptions{}
	c := &cobra.Command{
		Use:   "changed PAYLOAD...",
		Short: "say which changed payloads are another operation",
		Long: `Say of payloads that were changed whether each is still the same operation: by a
recipe the ones whose identity is untouched keep their ID, and an API that compares
requests answers them with a conflict if the rest of them differs. What a payload was
before is the file of the same name under --base, such as a checkout of the branch that
a change goes to. No key is read: fingerprints are of the public form.

Exit 1 where a payload is one that the recipe refuses.`,
		Example: `  idem changed -r recipe.yaml --base ../main payload.json
  git worktree add --detach ../main main &&
    git diff --name-only -z main -- 'payloads/*.json' | xargs -0 idem changed -r recipe.yaml --base ../main`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return interruptible(c.Context(), func() error { return runChanged(app, o) })
		},
	}
	f := c.Flags()
	f.StringVarP(&o.recipe, "recipe", "r", "", "the recipe `file`")
	f.StringVar(&o.base, "base", "", "the `folder` with the payloads as they were")
	f.StringArrayVar(&o.ignore, "ignore", nil, "JSON pointer of what does not count for the fingerprint")
	f.StringVar(&o.format, "format", "text", "text, json, markdown, or github for the log of a workflow")
	o.engine.registerCross(f)
	return c
}

// A fate is what became of a payload.
type fate string

const (
	sameRequest fate = "same"     // the same operation, by the same request
	conflicting fate = "conflict" // the same operation, by another request
	another     fate = "another"  // another operation
	added       fate = "new"
	removed     fate = "gone"
	refused     fate = "refused" // no operation at all
)

// changedPayload is one payload, before and after.
type changedPayload struct {
	File     string   `json:"file"`
	Is       fate     `json:"is"`
	Before   string   `json:"before,omitempty"` // fingerprints
	After    string   `json:"after,omitempty"`
	Identity []string `json:"changed_fields,omitempty"` // of the recipe's identity
	Places   []string `json:"changed_places,omitempty"` // JSON pointers
	Why      string   `json:"why,omitempty"`            // of what is refused
	Hint     string   `json:"hint,omitempty"`
}

type changedReport struct {
	Idem     string           `json:"idem"`
	Recipe   string           `json:"recipe"`
	Payloads []changedPayload `json:"payloads"`
}

func runChanged(app *App, o *changedOptions) error {
	tell, err := o.check()
	if err != nil {
		return err
	}
	engine, err := o.engine.engine()
	if err != nil {
		return err
	}
	recipe, err := readRecipe(app, o.recipe, engine)
	if err != nil {
		return err
	}
	ignore, err := parsePointers("--ignore", o.ignore)
	if err != nil {
		return err
	}
	r := changedReport{Idem: "changed/v1", Recipe: inputName(o.recipe), Payloads: []changedPayload{}}
	bad := false
	for _, file := range o.files {
		one := comparison{app: app, recipe: recipe, ignore: ignore, engine: engine}
		p, err := one.of(file, filepath.Join(o.base, file))
		if err != nil {
			return err
		}
		bad = bad || p.Is == refused
		r.Payloads = append(r.Payloads, p)
	}
	if err := tell(app, r); err != nil {
		return err
	}
	if bad {
		return exitWith(ExitBroken)
	}
	return nil
}

// check refuses what cannot be meant, and gives the way to tell.
func (o *changedOptions) check() (func(*App, changedReport) error, error) {
	tell := map[string]func(*App, changedReport) error{"text": changedText, "json": changedJSON, "markdown": changedMarkdown, "github": changedGitHub}[o.format]
	switch {
	case tell == nil:
		return nil, noneOf("--format", o.format, "markdown", "text", "json", "markdown", "github")
	case o.recipe == "":
		return nil, problem.New("", "no recipe is named").WithHint("idem changed -r RECIPE --base FOLDER PAYLOAD...")
	case o.base == "":
		return nil, problem.New("", "no folder is named with the payloads as they were").WithHint("idem changed -r RECIPE --base FOLDER PAYLOAD...")
	case len(o.files) == 0:
		return nil, problem.New("", "no payload is named").WithHint("idem changed -r RECIPE --base FOLDER PAYLOAD...")
	}
	if info, err := os.Stat(o.base); err != nil || !info.IsDir() {
		return nil, problem.New("--base", "%s is no folder", document.Show(o.base)).WithHint("git worktree add --detach ../main main")
	}
	for i, file := range o.files {
		if !filepath.IsLocal(file) {
			return nil, problem.New("PAYLOAD", "%s is not below this folder, so it has no place below --base", document.Show(file)).
				WithHint("run it in the folder that --base is another state of")
		}
		if slices.Contains(o.files[:i], file) {
			return nil, problem.New("PAYLOAD", "%s is named twice", document.Show(file))
		}
	}
	return tell, nil
}

// comparison holds payloads against what they were.
type comparison struct {
	app    *App
	recipe *determ.Recipe
	ignore []fingerprint.Pointer
	engine fingerprint.Engine
}

// side is a payload in one of its states.
type side struct {
	there       bool
	whole, part *fingerprint.Value // part: less what is ignored
	pointed     *determ.Pointed
	fingerprint string
	refusal     error
}

// of compares one payload. It fails where a file cannot be read, and where two
// engines differ.
func (c comparison) of(file, before string) (changedPayload, error) {
	p := changedPayload{File: filepath.ToSlash(file)}
	now, err := c.read(file)
	if err != nil {
		return p, err
	}
	then, err := c.read(before)
	if err != nil {
		return p, err
	}
	p.Before, p.After = then.fingerprint, now.fingerprint
	switch {
	case !now.there && !then.there:
		return p, nearer(problem.New(file, "is neither here nor under --base"), file, file, fs.ErrNotExist)
	case !now.there:
		p.Is = removed
	case now.refusal != nil:
		p.Is, p.Why, p.Hint = refused, now.refusal.Error(), problem.Hint(now.refusal)
	case !then.there || then.refusal != nil:
		p.Is = added
	default:
		c.compare(&p, then, now)
	}
	return p, nil
}

func (c comparison) compare(p *changedPayload, then, now side) {
	p.Identity = then.pointed.Changed(now.pointed)
	found := fingerprint.Diff(then.part, now.part, fingerprint.DiffOptions{Numbers: c.recipe.Numbers, Sensitive: c.recipe.Sensitive, Named: identityPlaces(c.recipe)})
	for _, d := range found {
		if d.Matters {
			p.Places = append(p.Places, d.Pointer)
		}
	}
	switch {
	case len(p.Identity) > 0:
		p.Is = another
	case fingerprint.SameOperation(found):
		p.Is = sameRequest
	default:
		p.Is = conflicting
	}
}

// read reads a payload in one state. That a file is not there is no error.
func (c comparison) read(file string) (side, error) {
	src, err := c.source(file)
	if err != nil || src == nil {
		return side{}, err
	}
	s := side{there: true}
	if s.refusal = c.admit(&s, src); fingerprint.IsDisagreement(s.refusal) {
		return s, inFile(file, s.refusal)
	}
	return s, nil
}

func (c comparison) source(file string) ([]byte, error) {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	src, err := readDocument(c.app, file, c.recipe.Sensitive)
	if src == nil {
		src = []byte{}
	}
	return src, err
}

func (c comparison) admit(s *side, src []byte) (err error) {
	if s.whole, err = fingerprint.Parse(src); err != nil {
		return c.app.advised("", src, fingerprint.Mask(err, c.recipe.Sensitive))
	}
	if s.pointed, err = c.recipe.Pointed(s.whole); err != nil {
		return err
	}
	if s.part, err = s.whole.Without(c.ignore); err != nil {
		return err
	}
	forms := fingerprint.Canonicaliser{Numbers: c.recipe.Numbers, Engine: c.engine}
	canonical, err := forms.AppendValue(nil, s.part, "")
	if err != nil {
		return fingerprint.Mask(err, c.recipe.Sensitive)
	}
	s.fingerprint, err = fingerprint.Payload(canonical, fingerprint.Policy{Numbers: c.recipe.Numbers, Engine: c.engine, Public: true})
	return err
}

// meaning says what a fate means, in one sentence.
func (p changedPayload) meaning() string {
	switch p.Is {
	case sameRequest:
		return "the same operation by the same request"
	case conflicting:
		return "the same operation by another request: it keeps its ID, and where that was used an API that compares requests answers with a conflict"
	case another:
		return "another operation, with an ID of its own"
	case added:
		return "a payload that was not there before"
	case removed:
		return "a payload that is no longer there"
	}
	return "no operation: derive refuses it"
}

// detail says what a fate rests on; empty where there is nothing to say.
func (p changedPayload) detail() string {
	switch {
	case p.Why != "":
		return p.Why
	case len(p.Identity) > 0:
		return "changed in its identity: " + listedShort(p.Identity)
	case len(p.Places) > 0:
		return "changed at " + listedShort(p.Places)
	}
	return ""
}

// listedShort lists the first of many.
func listedShort(all []string) string {
	const most = 5
	shown := slices.Clone(all[:min(len(all), most)])
	for i := range shown {
		if shown[i] == "" {
			shown[i] = "the whole payload"
		}
	}
	text := strings.Join(shown, ", ")
	if over := len(all) - most; over > 0 {
		text += " and " + count(over, "more place")
	}
	return text
}
