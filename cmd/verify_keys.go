package cmd

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/keysource"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
)

// contractKeys makes the idempotency keys of a contract's operations: those
// that a recipe derives, and generated ones.
type contractKeys struct {
	recipes map[string]*determ.Recipe // by the contract's path of them
	paths   map[string]string         // the same: where the recipe was read
	secrets map[string]*determ.Secret // the same
	test    bool                      // some secret is the public test secret
	engine  fingerprint.Engine        // who writes canonical forms
}

// Key makes the key of one operation (probe.KeyMaker).
func (k *contractKeys) Key(op *contract.Operation, tag [32]byte, body []byte) (string, error) {
	r := k.recipes[op.Key.Recipe]
	if r == nil {
		return probe.GeneratedKeys{}.Key(op, tag, body)
	}
	if op.Request.Body.Kind == contract.FormBody {
		fields, err := formPayload(body)
		if err != nil {
			return "", err
		}
		body = fields
	}
	d, err := r.DeriveText(body, nil, k.secrets[op.Key.Recipe])
	if err != nil {
		return "", err
	}
	return d.ID, nil
}

// formPayload gives a form as the payload that a recipe reads: an object of its
// fields, texts all. A name that stands twice has no one value.
func formPayload(form []byte) ([]byte, error) {
	fields, err := url.ParseQuery(string(form))
	if err != nil {
		return nil, problem.New("", "the form cannot be read")
	}
	object := make(map[string]string, len(fields))
	for name, values := range fields {
		if len(values) > 1 {
			return nil, problem.New("", "the form has %s %d times: a recipe cannot read it", document.Show(name), len(values)).
				WithHint("send each field of the form once, or generate: uuid4")
		}
		object[name] = values[0]
	}
	return json.Marshal(object)
}

// readRecipes reads the recipes that a contract names, relative to it.
func readRecipes(app *App, o *verifyOptions, spec *contract.Contract) (*contractKeys, error) {
	engine, err := o.engine.engine()
	if err != nil {
		return nil, err
	}
	k := &contractKeys{engine: engine, recipes: map[string]*determ.Recipe{}, paths: map[string]string{}, secrets: map[string]*determ.Secret{}}
	for _, op := range spec.Operations {
		name := op.Key.Recipe
		if name == "" || k.recipes[name] != nil {
			continue
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(spec.File), path)
		}
		r, err := readRecipe(app, path, engine)
		if err != nil {
			return nil, err
		}
		k.recipes[name], k.paths[name] = r, path
	}
	return k, nil
}

// dryKeys makes keys without reading any: recipes get the public test secret.
func dryKeys(app *App, o *verifyOptions, spec *contract.Contract) (*contractKeys, error) {
	k, err := readRecipes(app, o, spec)
	if err != nil {
		return nil, err
	}
	for name, r := range k.recipes {
		k.secrets[name], k.test = determ.TestSecret(r.Key.Kid), true
	}
	return k, nil
}

// liveKeys reads the secrets of the contract's recipes from where they say.
func liveKeys(ctx context.Context, app *App, o *verifyOptions, spec *contract.Contract) (*contractKeys, error) {
	k, err := readRecipes(app, o, spec)
	if err != nil {
		return nil, err
	}
	for name, r := range k.recipes {
		s, err := recipeRing(app, r, k.paths[name], o.allowTestSecret).Load(ctx, r.Key)
		if err != nil {
			return nil, err
		}
		k.secrets[name] = s
		k.test = k.test || s.IsPublic(r.Triple)
	}
	return k, nil
}

// notes say what a person must know of the keys.
func (k *contractKeys) notes() []string {
	if !k.test {
		return nil
	}
	return []string{"keys are derived with the public test secret: they are not the keys of a live run"}
}

// variables are the environment variables that hold key material: no child
// process may inherit them (determ-v1, Keys).
func (k *contractKeys) variables() []string {
	var specs []determ.KeySpec
	for _, r := range k.recipes {
		specs = append(specs, r.KeySpecs()...)
	}
	return keysource.EnvNames(specs...)
}

// sensitive are the places of each operation's body that its recipe says must
// never be shown.
func (k *contractKeys) sensitive(spec *contract.Contract) map[string][]fingerprint.Pointer {
	out := map[string][]fingerprint.Pointer{}
	for _, op := range spec.Operations {
		if r := k.recipes[op.Key.Recipe]; r != nil {
			out[op.Name] = r.Sensitive
		}
	}
	return out
}

// facts say of the stable ID how it is made.
func (k *contractKeys) facts(op *contract.Operation) []report.Fact {
	r := k.recipes[op.Key.Recipe]
	if r == nil {
		return []report.Fact{{Name: "made_by", Value: "generated as " + op.Key.Generate}}
	}
	var identity []string
	for i := range r.Identity {
		identity = append(identity, r.Identity[i].Name+" from "+r.Identity[i].Place())
	}
	return []report.Fact{
		{Name: "made_by", Value: "recipe " + op.Key.Recipe},
		{Name: "recipe", Value: r.Triple.String()},
		{Name: "boundary", Value: r.Boundary},
		{Name: "identity", List: identity},
		{Name: "encode", Value: r.Encode.Describe(r.Prefix, r.Version), Detail: true},
		{Name: "digest", Value: r.Digest(), Detail: true},
		{Name: "secret", Value: strings.TrimSpace(k.secretWord(op.Key.Recipe))},
	}
}

func (k *contractKeys) secretWord(name string) string {
	if s := k.secrets[name]; s != nil && !k.test {
		return "kid " + s.Kid()
	}
	return "the public test secret"
}

// policy is how an operation's fingerprints are made: by the recipe's words on
// what is sensitive and on numbers.
func (k *contractKeys) policy(op *contract.Operation) fingerprint.Policy {
	r := k.recipes[op.Key.Recipe]
	if r == nil {
		return fingerprint.Policy{Engine: k.engine}
	}
	return fingerprint.Policy{Numbers: r.Numbers, Engine: k.engine, Sensitive: r.Sensitive}
}

// testKeyed is the public test secret under the recipe's namespace, or the
// contract's where there is none.
func (k *contractKeys) testKeyed(op *contract.Operation) *fingerprint.Keyed {
	namespace, kid := "idem.verify", "test"
	if r := k.recipes[op.Key.Recipe]; r != nil {
		namespace, kid = r.Namespace, r.Key.Kid
	}
	keyed, err := determ.TestSecret(kid).Keyed(namespace)
	if err != nil {
		return nil
	}
	return keyed
}
