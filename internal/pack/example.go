package pack

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/idem-toolkit/idem/internal/determ"
)

// mostExample bounds a payload that becomes a recipe's example.
const mostExample = 16 << 10

// WithExample gives the recipe with the payload as its example and the ID that
// the public test secret gives it. It gives the recipe as it is where it has an
// example, and where none can be made: the recipe would make another ID, or lint
// would find more in it than before, which is what it has found in the recipe.
// clean says whether lint finds nothing in what is given.
func WithExample(recipe, payload []byte, before []determ.Finding, now time.Time) (out []byte, clean bool) {
	missing := func(f determ.Finding) bool { return f.Slug == "example-missing" }
	if !slices.ContainsFunc(before, missing) {
		return recipe, len(before) == 0
	}
	for _, with := range exampled(recipe, payload) {
		after, err := determ.Lint(RecipeName, with, determ.LintOptions{Now: now})
		if err == nil && len(after) == len(before)-1 && !slices.ContainsFunc(after, missing) && sameLocked(recipe, with) {
			return with, len(after) == 0
		}
	}
	return recipe, false
}

// exampled gives the ways in which an example may stand in a recipe: as a block
// at the end, and before the brace that ends it.
func exampled(recipe, payload []byte) [][]byte {
	r, err := determ.Parse(RecipeName, recipe)
	var one bytes.Buffer
	if err != nil || len(payload) > mostExample || json.Compact(&one, payload) != nil {
		return nil
	}
	d, err := r.DeriveText(payload, nil, determ.TestSecret(r.Key.Kid))
	if err != nil {
		return nil
	}
	whole := bytes.TrimRight(recipe, " \t\r\n")
	ways := [][]byte{slices.Concat(whole, []byte("\nexample:\n  payload: "), one.Bytes(), []byte("\n  id: "+d.ID+"\n"))}
	if inner, ok := bytes.CutSuffix(whole, []byte("}")); ok {
		ways = append(ways, slices.Concat(bytes.TrimRight(inner, " \t\r\n,"), []byte(`, "example": {"payload": `), one.Bytes(), []byte(`, "id": "`+d.ID+"\"}}\n")))
	}
	return ways
}

// sameLocked says whether two recipes make the same IDs.
func sameLocked(a, b []byte) bool {
	locked := func(src []byte) []byte {
		lock := determ.NewLock(LockName)
		r, err := determ.Parse(RecipeName, src)
		if err == nil {
			_, err = lock.Add(r)
		}
		if err != nil {
			return nil
		}
		return lock.Bytes()
	}
	was := locked(a)
	return was != nil && bytes.Equal(was, locked(b))
}
