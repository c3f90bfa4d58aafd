package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/pack"
	"github.com/idem-toolkit/idem/internal/problem"
)

// packOptions are the flags of idem pack.
type packOptions struct {
	dir   string
	zip   string
	force bool

	inputs []string // all files that were read

	contract, recipe, payload string // files; empty: the sample's, or what the contract names

	given func(flag string) bool // it stood on the command line
}

func newPackCmd(app *App) *cobra.Command {
	o := &packOptions{}
	c := &cobra.Command{
		Use:   "pack DIR",
		Short: "write a folder in which everything about safe retries runs",
		Long: `Write a folder in which everything about safe retries runs: a contract, its recipe
and payload with the result of their dry run, the pattern of a server that keeps
such a contract, and what runs the checks. It is filled for a fictional sample, or
for a contract of your own. Nothing in it can move money. What is recognised as a
secret is refused; look through your own files too before you hand it on.

A contract of your own is written as it is, under the name contract.yaml; where it
names its recipe otherwise than recipe.yaml, or a body in a file, those names alone
are changed, and said. A payload that is not given is the body that the contract has;
a recipe without an example gets one, made of the payload.

A new folder is there whole or not at all. With --force an error or an interrupt
leaves the folder as it was; where idem is killed, files may be left half way, each
whole, and none of yours is lost.`,
		Example: `  idem pack safe-retries
  idem pack --zip safe-retries.zip
  idem pack ours --contract contract.yaml
  idem pack ours --contract contract.yaml --recipe charge.recipe.yaml --payload checkout.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.given = c.Flags().Changed
			return runPack(c.Context(), app, o, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.zip, "zip", "", "write a zip `file` instead of a folder; - is standard output")
	f.BoolVar(&o.force, "force", false, "write into a folder that is not empty, or over a zip file that is there; what gives way is kept as NAME.orig")
	f.StringVar(&o.contract, "contract", "", "fill the pack for the contract in this `file`")
	f.StringVar(&o.recipe, "recipe", "", "with --contract: its recipe, instead of the `file` that it names")
	f.StringVar(&o.payload, "payload", "", "with --contract: a payload from this `file`, instead of the contract's body")
	return c
}

func runPack(ctx context.Context, app *App, o *packOptions, args []string) error {
	if err := o.check(app, args); err != nil {
		return err
	}
	var files []pack.File
	err := interruptible(ctx, func() error {
		filling, err := o.filling(app)
		if err == nil {
			files, err = pack.Files(filling)
		}
		return err
	})
	if err != nil {
		return err
	}
	if o.zip != "" {
		return o.writeZip(app, files)
	}
	kept, err := writeFolder(ctx, o.dir, files, o.force)
	if err != nil || app.Quiet {
		return err
	}
	for _, k := range kept {
		k.tell(app.Err)
	}
	fmt.Fprintf(app.Err, "%s: %d files%s; README.md says what to run first\n", problem.Line(o.dir), len(files), o.recognised())
	return nil
}

// check refuses what cannot be meant, before anything is read.
func (o *packOptions) check(app *App, args []string) error {
	if len(args) == 1 {
		o.dir = args[0]
	}
	zipped := o.given("zip")
	switch {
	case len(args) == 1 && zipped:
		return problem.New("", "a folder or a zip file, not both").WithHint("idem pack %s", fileWord(o.dir, "DIR"))
	case len(args) == 0 && !zipped:
		return problem.New("", "where to").WithHint("idem pack safe-retries, or idem pack --zip safe-retries.zip")
	case o.dir == "" && !zipped:
		return problem.New("DIR", "the name of the folder is empty")
	case strings.HasPrefix(o.zip, "--"):
		return problem.New("--zip", "%s is a flag, not the name of a file", problem.Line(o.zip)).WithHint("idem pack --zip safe-retries.zip %s", problem.Line(o.zip))
	case o.dir == "-":
		return problem.New("-", "a folder cannot be written to standard output").WithHint("idem pack --zip -")
	case o.zip == "-" && app.OutTTY && app.Columns != nil && app.Columns() > 0: // and not /dev/null
		return problem.New("--zip", "a terminal shows no zip file").WithHint("idem pack --zip safe-retries.zip")
	}
	for _, flag := range []string{"recipe", "payload"} {
		if o.given(flag) && o.contract == "" {
			return problem.New("--"+flag, "is of a contract, and none is given").WithHint("idem pack DIR --contract contract.yaml --%s ...", flag)
		}
	}
	return onceOnly([]string{o.contract, o.recipe, o.payload})
}

// writeZip writes the archive, to standard output for "-".
func (o *packOptions) writeZip(app *App, files []pack.File) error {
	archive, err := pack.Zip(files)
	if err != nil {
		return problem.New(o.zip, "%s", err)
	}
	if o.zip == "-" {
		if _, err := app.Out.Write(archive); err != nil {
			return problem.New("standard output", "%s", err)
		}
		return nil
	}
	kept, err := o.overZip(archive)
	if err != nil {
		return err
	}
	if !app.Quiet {
		if kept != nil {
			kept.tell(app.Err)
		}
		fmt.Fprintf(app.Err, "%s: %d files%s; %sREADME.md says what to run first\n", problem.Line(o.zip), len(files), o.recognised(), pack.ZipFolder)
	}
	return nil
}

// recognised says that the caller's own files were looked through, and no more.
func (o *packOptions) recognised() string {
	if o.contract == "" {
		return ""
	}
	return ", no secret was recognised in yours"
}
