package cmd

import (
	"context"
	"slices"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/keysource"
	"github.com/idem-toolkit/idem/internal/problem"
)

// policy puts recipe and flags together. The key is loaded where one is
// asked for: by flags, or by a recipe unless --public.
func (o *fingerprintOptions) policy(ctx context.Context, app *App) (*determ.Recipe, fingerprint.Policy, error) {
	p := fingerprint.Policy{Public: o.public}
	numbers, err := parseNumbers(o.numbers)
	if err != nil {
		return nil, p, err
	}
	p.Numbers = numbers
	if p.Engine, err = o.engine.engine(); err != nil {
		return nil, p, err
	}
	var recipe *determ.Recipe
	if o.recipe != "" {
		if recipe, err = readRecipe(app, o.recipe, p.Engine); err != nil {
			return nil, p, err
		}
		if o.numbersSet && numbers != recipe.Numbers {
			return nil, p, problem.New("--numbers", "the recipe says %s, and no flag overrides it", recipe.Numbers).WithHint("leave --numbers out")
		}
		p.Numbers, p.Sensitive = recipe.Numbers, recipe.Sensitive
		if o.namespace == "" {
			o.namespace = recipe.Namespace
		}
	}
	given, err := parsePointers("--sensitive", o.sensitive)
	if err != nil {
		return nil, p, err
	}
	if given != nil {
		p.Looks = p.Sensitive == nil // a flag alone does not say that the rest may be known
		p.Sensitive = append(slices.Clone(p.Sensitive), given...)
	}
	if o.diff || o.public || (recipe == nil && !o.key.given()) {
		return recipe, p, nil
	}
	p.Key, err = o.loadKey(ctx, app, recipe)
	return recipe, p, err
}

// loadKey gives the key of the flags, else the recipe's.
func (o *fingerprintOptions) loadKey(ctx context.Context, app *App, recipe *determ.Recipe) (*fingerprint.Keyed, error) {
	if o.namespace == "" {
		return nil, problem.New("--namespace", "the keyed forms need one").WithHint("--namespace acme.payments")
	}
	if !determ.IsName(o.namespace) {
		return nil, problem.New("--namespace", "it is lower-case letters and digits in parts joined by . _ or -, at most 64 characters").
			WithHint("--namespace acme.payments")
	}
	var spec determ.KeySpec
	if recipe != nil {
		spec = recipe.Key
	}
	world := keyWorld(app, o.allowTest)
	if o.key.given() {
		if o.key.kid == "" {
			o.key.kid = spec.Kid
		}
		given, err := o.key.spec()
		if err != nil {
			return nil, err
		}
		if given.Kid == spec.Kid {
			given.Check = spec.Check // another source of the recipe's own key
		}
		spec = given
	} else {
		world = world.ForRecipe(recipe, recipeDir(o.recipe))
	}
	if spec.Source.IsFD && spec.Source.FD == 0 && slices.Contains(o.files, "-") {
		return nil, problem.New("-", "standard input gives the key, and can be read once only")
	}
	secret, err := keysource.Load(ctx, spec, world)
	if err != nil {
		return nil, interrupted(err)
	}
	return secret.Keyed(o.namespace)
}
