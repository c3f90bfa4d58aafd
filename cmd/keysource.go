package cmd

import (
	"context"
	"errors"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/keysource"
)

// keyWorld is the process's world as key sources see it.
func keyWorld(app *App, allowTestSecret bool) keysource.World {
	return keysource.World{LookupEnv: app.LookupEnv, Environ: app.Environ, Stdin: app.stdin("the key"), AllowTestSecret: allowTestSecret, Waits: app.listen}
}

const allowTestSecretUsage = "accept the public test secret, which everyone knows"

// readRecipe reads a recipe, from standard input for "-", and holds it to the
// idem.lock of its folder.
func readRecipe(app *App, file string, engine fingerprint.Engine) (*determ.Recipe, error) {
	src, err := readInput(app, file, document.MaxSize)
	if err != nil {
		return nil, err
	}
	r, err := determ.Parse(inputName(file), src)
	if err != nil {
		return nil, err
	}
	if err := r.Use(engine); err != nil {
		return nil, inFile(file, err)
	}
	return r, checkLocks(r, file)
}

// recipeRing gives a ring for the keys of a recipe.
func recipeRing(app *App, r *determ.Recipe, file string, allowTestSecret bool) *keysource.Ring {
	return keysource.NewRing(keyWorld(app, allowTestSecret).ForRecipe(r, recipeDir(file)))
}

// interrupted turns an error that only says that the command was interrupted
// into that exit code.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return exitWith(ExitInterrupted)
	}
	return err
}
