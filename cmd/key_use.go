package cmd

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/keysource"
	"github.com/idem-toolkit/idem/internal/problem"
)

type keyCheckOptions struct {
	recipe          string
	key             keyFlags
	format          string
	allowTestSecret bool
}

func newKeyCheckCmd(app *App) *cobra.Command {
	o := &keyCheckOptions{}
	c := &cobra.Command{
		Use:   "check [FILE|-]",
		Short: "read a secret and print its check value",
		Long: `Read a secret, by a recipe or from where the flags say, and print its check value: 8
characters that give nothing away and differ for another secret. As check: in a recipe's
key it makes every command refuse the wrong secret.`,
		Example: `  idem key check -r charge.yaml
  idem key check idem.key
  idem key check --key-env IDEM_KEY`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.key.argument = args[0]; o.key.argument == "" {
					return problem.New("FILE", "the name of the key file is empty").WithHint("idem key check FILE")
				}
			}
			return interruptible(c.Context(), func() error { return interrupted(runKeyCheck(c.Context(), app, o)) })
		},
	}
	c.Flags().StringVarP(&o.recipe, "recipe", "r", "", "check the key that this recipe `file` names")
	o.key.register(c.Flags())
	c.Flags().StringVar(&o.format, "format", "text", "text or json")
	c.Flags().BoolVar(&o.allowTestSecret, "allow-test-secret", false, allowTestSecretUsage)
	return c
}

// keyCheckReport is the result as JSON. A subkey has no check value.
type keyCheckReport struct {
	Idem   string `json:"idem"`
	Kid    string `json:"kid"`
	Check  string `json:"check,omitempty"`
	Subkey string `json:"subkey,omitempty"` // NAMESPACE/OPERATION/VERSION
}

func runKeyCheck(ctx context.Context, app *App, o *keyCheckOptions) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	report, err := checkKey(ctx, app, o)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return printJSON(app.Out, report)
	}
	if report.Subkey != "" {
		fmt.Fprintf(app.Out, "subkey %s\n", report.Subkey)
		return nil
	}
	fmt.Fprintln(app.Out, report.Check)
	return nil
}

func checkKey(ctx context.Context, app *App, o *keyCheckOptions) (keyCheckReport, error) {
	report := keyCheckReport{Idem: "key-check/v1"}
	var secret *determ.Secret
	var err error
	if o.recipe != "" {
		if o.key.given() || o.key.said() {
			return report, problem.New("", "the key is named by the recipe and by a flag").WithHint("idem key check -r %s", fileWord(o.recipe, "RECIPE"))
		}
		r, err := readRecipe(app, o.recipe, fingerprint.Own)
		if err != nil {
			return report, err
		}
		if secret, err = recipeRing(app, r, o.recipe, o.allowTestSecret).Load(ctx, r.Key); err != nil {
			return report, err
		}
		if secret.IsSubkey() {
			report.Kid, report.Subkey = secret.Kid(), r.Triple.String()
			if _, err := secret.Subkey(r.Triple); err != nil {
				return report, ofKey(r, err)
			}
			return report, nil
		}
	} else {
		spec, err := o.key.spec()
		if err != nil {
			return report, err
		}
		if secret, err = keysource.Load(ctx, spec, keyWorld(app, o.allowTestSecret)); err != nil {
			if ending := filepath.Ext(o.key.argument); ending == ".yaml" || ending == ".yml" {
				return report, problem.New("", "%s", err).WithHint("idem key check -r %s", fileWord(o.key.argument, "RECIPE")).Because(err)
			}
			return report, err
		}
	}
	report.Kid = secret.Kid()
	report.Check, err = secret.Check()
	return report, err
}

type keySubkeyOptions struct {
	recipe, out     string
	allowTestSecret bool
}

func newKeySubkeyCmd(app *App) *cobra.Command {
	o := &keySubkeyOptions{}
	c := &cobra.Command{
		Use:   "subkey -r RECIPE [--out FILE]",
		Short: "cut the subkey of one recipe from its secret",
		Long: `Cut the subkey of one recipe's namespace, operation and version from its secret. A
service that holds the subkey derives the IDs of that operation and nothing else: no
other operation's, no other version's, and no fingerprints.`,
		Example: `  idem key subkey -r charge.yaml --out charge.key`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return interruptible(c.Context(), func() error { return interrupted(runKeySubkey(c.Context(), app, o)) })
		},
	}
	c.Flags().StringVarP(&o.recipe, "recipe", "r", "", "the recipe `file`")
	c.Flags().StringVar(&o.out, "out", "", "write to this new `file`, which only its owner may read")
	c.Flags().BoolVar(&o.allowTestSecret, "allow-test-secret", false, allowTestSecretUsage)
	return c
}

func runKeySubkey(ctx context.Context, app *App, o *keySubkeyOptions) error {
	if o.recipe == "" {
		return problem.New("", "no recipe is named").WithHint("idem key subkey -r RECIPE")
	}
	r, err := readRecipe(app, o.recipe, fingerprint.Own)
	if err != nil {
		return err
	}
	secret, err := recipeRing(app, r, o.recipe, o.allowTestSecret).Load(ctx, r.Key)
	if err != nil {
		return err
	}
	if o.out == "" || o.out == "-" {
		if err := app.needsOutput(); err != nil {
			return err
		}
	}
	line, err := secret.SubkeyLine(r.Triple)
	if err != nil {
		return ofKey(r, err)
	}
	return writeSecret(app, o.out, line)
}
