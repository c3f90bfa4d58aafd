package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
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

	engine engineFlags
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
			return runRecipeLock(c.Context(), app, o)
		},
	}
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; exit 1 where a version is not locked yet")
	o.engine.registerCross(c.Flags())
	return c
}

// lockedFolder is a folder with those of the recipes that its lock holds.
type lockedFolder struct {
	dir     string // as first spelled
	recipes []*determ.Recipe
	update  *lockUpdate // nil with --check
	lock    *determ.Lock
	added   int
}

// runRecipeLock writes nothing unless every recipe agrees with its lock. Only
// reading the recipes can be interrupted: what follows is short, and leaves
// nothing half done.
func runRecipeLock(ctx context.Context, app *App, o *recipeLockOptions) error {
	if len(o.files) == 0 {
		return problem.New("", "no recipe is named").WithHint("idem recipe lock RECIPE...")
	}
	engine, err := o.engine.engine()
	if err != nil {
		return err
	}
	var folders []*lockedFolder
	err = interruptible(ctx, func() (err error) {
		folders, err = readFolders(app, o.files, engine)
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		for _, f := range folders {
			if f.update != nil {
				f.update.abandon()
			}
		}
	}()
	for _, f := range folders {
		if err := f.begin(ctx, o.check); err != nil {
			return err
		}
		for _, r := range f.recipes {
			n, err := f.lock.Add(r)
			if err != nil {
				return err
			}
			f.added += n
		}
	}
	return endLocks(app, o, folders)
}

// readFolders reads recipes and parts them by folder, in an order that is the
// same for all processes, so that no two wait for each other.
func readFolders(app *App, files []string, engine fingerprint.Engine) ([]*lockedFolder, error) {
	if err := onceOnly(files); err != nil {
		return nil, err
	}
	byFolder := map[string]*lockedFolder{}
	var all []string
	for _, file := range files {
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
		dir := recipeDir(file)
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return nil, problem.New(dir, "cannot be found: %s", reason(err))
		}
		if byFolder[real] == nil {
			byFolder[real] = &lockedFolder{dir: dir}
			all = append(all, real)
		}
		byFolder[real].recipes = append(byFolder[real].recipes, r)
	}
	slices.Sort(all)
	folders := make([]*lockedFolder, len(all))
	for i, real := range all {
		folders[i] = byFolder[real]
	}
	return folders, nil
}

func (f *lockedFolder) begin(ctx context.Context, check bool) (err error) {
	if !check {
		if f.update, err = beginLock(ctx, f.dir); err == nil {
			f.lock = f.update.lock
		}
		return err
	}
	if f.lock, err = readLock(f.dir); err == nil && f.lock == nil {
		f.lock = determ.NewLock(filepath.Join(f.dir, determ.LockName))
	}
	return err
}

// endLocks writes what is new and says what was done.
func endLocks(app *App, o *recipeLockOptions, folders []*lockedFolder) error {
	open := 0
	for _, f := range folders {
		open += f.added
		if f.added > 0 && !o.check {
			err := f.update.commit()
			f.update = nil
			if err != nil {
				return err
			}
		}
		tellLocked(app, o, f.lock.File, f.added)
	}
	if o.check && open > 0 {
		return exitWith(ExitBroken)
	}
	return nil
}

func tellLocked(app *App, o *recipeLockOptions, file string, added int) {
	file = problem.Line(file)
	switch {
	case o.check && added > 0:
		which := "RECIPE..."
		if !slices.ContainsFunc(o.files, func(f string) bool { return !showable(f) }) {
			which = strings.Join(o.files, " ")
		}
		fmt.Fprintf(app.Err, "%s: %d not locked yet\nhint: idem recipe lock %s\n", file, added, which)
	case app.Quiet:
	case added == 0:
		fmt.Fprintf(app.Err, "%s: nothing new\n", file)
	default:
		fmt.Fprintf(app.Err, "%s: %d locked\n", file, added)
	}
}
