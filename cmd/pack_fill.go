package cmd

import (
	"bytes"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/pack"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
)

// filling reads what the pack is made of and holds the parts to each other:
// every payload must get an ID, and the dry run a result.
func (o *packOptions) filling(app *App) (pack.Filling, error) {
	if o.contract == "" {
		var f pack.Filling
		f.Contract, f.Recipe, f.Payload = pack.Sample()
		f, err := filled(f, true)
		f.Values.Strict = true
		return f, err
	}
	g, err := o.read(app)
	if err != nil {
		return pack.Filling{}, err
	}
	o.inputs = append(g.inputs, o.contract, g.recipeFile, o.payload)
	if err := g.fit(); err != nil {
		return pack.Filling{}, err
	}
	if err := pack.CheckVariables(g.spec, g.recipe, inputName(g.recipeFile)); err != nil {
		return pack.Filling{}, err
	}
	own := pack.Own{File: inputName(o.contract), Contract: g.source, Payload: g.payload, Given: o.payload != "", Bodies: g.bodies}
	carried, err := own.Carry()
	if err != nil {
		return pack.Filling{}, err
	}
	recipe, strict := pack.WithExample(g.recipeSource, g.payload, g.findings, app.Now())
	f := pack.Filling{Contract: carried.Contract, Recipe: recipe, Payload: g.payload, Further: carried.Further}
	if f, err = filled(f, false); err != nil {
		return f, inFile(o.contract, err)
	}
	f.Values.Strict = strict
	return f, g.tell(app, carried, f)
}

// filled completes a filling: lock, values and the dry run's result are made
// of contract, recipe and payload as they stand in the pack.
func filled(f pack.Filling, sample bool) (pack.Filling, error) {
	spec, err := contract.Parse(pack.ContractName, f.Contract, func(path string) ([]byte, error) {
		if path == pack.PayloadName {
			return f.Payload, nil
		}
		for _, other := range f.Further {
			if other.Name == path {
				return other.Content, nil
			}
		}
		return nil, problem.New("", "it is not in the pack")
	})
	if err != nil {
		return f, err
	}
	r, err := determ.Parse(pack.RecipeName, f.Recipe)
	if err != nil {
		return f, err
	}
	lock := determ.NewLock(pack.LockName)
	if _, err := lock.Add(r); err != nil {
		return f, err
	}
	f.Lock = lock.Bytes()
	f.Values = pack.ValuesOf(spec, derived(spec), r, Version)
	f.Values.Sample = sample
	f.Expected, err = expectedDryRun(spec, r)
	return f, err
}

// expectedDryRun gives what idem verify contract.yaml --format json prints in
// the pack's folder.
func expectedDryRun(spec *contract.Contract, r *determ.Recipe) ([]byte, error) {
	keys := &contractKeys{engine: fingerprint.Own, test: true,
		recipes: map[string]*determ.Recipe{pack.RecipeName: r},
		secrets: map[string]*determ.Secret{pack.RecipeName: determ.TestSecret(r.Key.Kid)}}
	d, err := dryResult(&verifyOptions{seed: 1}, spec, keys)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.WriteDry(&b, "json", d, report.ContractOptions(spec))
	return b.Bytes(), err
}

// derived gives the operation that the pack is about: the first whose keys a
// recipe makes.
func derived(spec *contract.Contract) *contract.Operation {
	for _, op := range spec.Operations {
		if op.Key.Recipe != "" {
			return op
		}
	}
	return nil
}
