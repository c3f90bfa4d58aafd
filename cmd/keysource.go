package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/keysource"
)

// keyWorld is the process's world as key sources see it.
func keyWorld(app *App, allowTestSecret bool) keysource.World {
	return keysource.World{LookupEnv: app.LookupEnv, Environ: app.Environ, Stdin: app.In, AllowTestSecret: allowTestSecret}
}

const allowTestSecretUsage = "accept the public test secret, which everyone knows"

// readRecipe reads a recipe, from standard input for "-", and holds it to the
// idem.lock beside it.
func readRecipe(app *App, file string) (*determ.Recipe, error) {
	src, err := readInput(app, file, document.MaxSize)
	if err != nil {
		return nil, err
	}
	r, err := determ.Parse(inputName(file), src)
	if err != nil {
		return nil, err
	}
	lock, err := readLock(recipeDir(file))
	if err != nil || lock == nil || file == "-" {
		return r, err
	}
	return r, lock.Check(r)
}

// recipeDir is what the paths of a recipe are relative to.
func recipeDir(file string) string {
	if file == "-" {
		return "."
	}
	return filepath.Dir(file)
}

// readLock reads the idem.lock of a folder; nil where there is none.
func readLock(dir string) (*determ.Lock, error) {
	path := filepath.Join(dir, determ.LockName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	src, err := readInput(nil, path, document.MaxSize)
	if err != nil {
		return nil, err
	}
	return determ.ParseLock(path, src)
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
