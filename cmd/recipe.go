package cmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

func newRecipeCmd(app *App) *cobra.Command {
	c := &cobra.Command{
		Use:   "recipe",
		Short: "hold recipes to what they promise",
		Args:  cobra.NoArgs,
		RunE:  needsSubcommand,
	}
	c.AddCommand(newRecipeLintCmd(app), newRecipeLockCmd(app))
	return c
}

type recipeLockOptions struct {
	files []string
	check bool
}

func newRecipeLockCmd(app *App) *cobra.Command {
	o := &recipeLockOptions{}
	c := &cobra.Command{
		Use:   "lock RECIPE...",
		Short: "write down what each version of a recipe is",
		Long: `Write down in idem.lock, beside each recipe, what makes the IDs of each of its versions:
prefix, encoding, number mode and identity. From then on every command refuses a recipe
that differs under the same namespace, operation and version, since the same operation
would get another ID. Keep idem.lock under version control.`,
		Example: `  idem recipe lock recipes/*.yaml
  idem recipe lock --check recipes/*.yaml`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return runRecipeLock(app, o)
		},
	}
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; exit 1 where a version is not locked yet")
	return c
}

// runRecipeLock writes nothing unless every recipe agrees with its lock.
func runRecipeLock(app *App, o *recipeLockOptions) error {
	if len(o.files) == 0 {
		return problem.New("", "no recipe is named").WithHint("idem recipe lock RECIPE...")
	}
	locks := map[string]*determ.Lock{} // by folder
	dirs := []string{}
	added := map[string]int{}
	for _, file := range o.files {
		dir := filepath.Dir(file)
		if locks[dir] == nil {
			lock, err := readLock(dir)
			if err != nil {
				return err
			}
			if lock == nil {
				lock = determ.NewLock(filepath.Join(dir, determ.LockName))
			}
			locks[dir] = lock
			dirs = append(dirs, dir)
		}
		src, err := readInput(nil, file, document.MaxSize)
		if err != nil {
			return err
		}
		r, err := determ.Parse(file, src)
		if err != nil {
			return err
		}
		n, err := locks[dir].Add(r)
		if err != nil {
			return err
		}
		added[dir] += n
	}
	open := 0
	for _, dir := range dirs {
		open += added[dir]
		if added[dir] > 0 && !o.check {
			if err := replaceFile(locks[dir].File, locks[dir].Bytes()); err != nil {
				return err
			}
		}
		tellLocked(app, o, locks[dir].File, added[dir])
	}
	if o.check && open > 0 {
		return exitWith(ExitBroken)
	}
	return nil
}

func tellLocked(app *App, o *recipeLockOptions, file string, added int) {
	switch {
	case o.check && added > 0:
		fmt.Fprintf(app.Err, "%s: %d not locked yet\nhint: idem recipe lock\n", file, added)
	case app.Quiet:
	case added == 0:
		fmt.Fprintf(app.Err, "%s: nothing new\n", file)
	default:
		fmt.Fprintf(app.Err, "%s: %d locked\n", file, added)
	}
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".idem-*")
	if err != nil {
		return problem.New(path, "cannot be written: %s", reason(err))
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return problem.New(path, "cannot be written: %s", reason(err))
	}
	return nil
}
