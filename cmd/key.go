package cmd

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/keysource"
	"github.com/idem-toolkit/idem/internal/problem"
)

func newKeyCmd(app *App) *cobra.Command {
	c := &cobra.Command{
		Use:   "key",
		Short: "make secrets, check them, and cut subkeys from them",
		Args:  cobra.NoArgs,
		RunE:  needsSubcommand,
	}
	c.AddCommand(newKeyNewCmd(app), newKeyCheckCmd(app), newKeySubkeyCmd(app))
	return c
}

// needsSubcommand is the answer to a command that only holds others.
func needsSubcommand(c *cobra.Command, _ []string) error {
	return problem.New("", "%s needs one of its commands", c.CommandPath()).WithHint("%s --help", c.CommandPath())
}

type keyNewOptions struct {
	kid, out   string
	passphrase sourceFlags
}

func newKeyNewCmd(app *App) *cobra.Command {
	o := &keyNewOptions{}
	c := &cobra.Command{
		Use:   "new [--kid KID] [--out FILE]",
		Short: "make a secret of 32 random bytes",
		Long: `Make a secret of 32 random bytes and write it as one line, which holds a checksum
against mistyping. Without --out it goes to standard output, for a secret store to take.
On standard error it says how a recipe names the key, with its check value: 8 characters
that differ for another secret, so that a wrong one is noticed before it makes an ID.

With a passphrase the line is encrypted at rest: Argon2id (time 3, memory 64 MiB, lanes
4) makes a key of it, XChaCha20-Poly1305 seals the line.`,
		Example: `  idem key new --kid k2 --out idem.key
  idem key new --kid k2 | vault kv put secret/idem key=-
  idem key new --kid k2 --passphrase-env IDEM_PASSPHRASE --out idem.key`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return interruptible(c.Context(), func() error { return interrupted(runKeyNew(c.Context(), app, o)) })
		},
	}
	c.Flags().StringVar(&o.kid, "kid", "k1", "the key's short `name`: 1 to 16 lower-case letters and digits")
	c.Flags().StringVar(&o.out, "out", "", "write to this new `file`, which only its owner may read")
	o.passphrase.register(c.Flags(), "passphrase", "a passphrase to encrypt the line under")
	return c
}

func runKeyNew(ctx context.Context, app *App, o *keyNewOptions) error {
	if !determ.IsKid(o.kid) {
		return problem.New("--kid", "a kid is 1 to 16 lower-case letters and digits").WithHint("--kid k1")
	}
	var source *determ.Source // nil: the line is not sealed
	if o.passphrase.given() {
		var err error
		if source, err = o.passphrase.source(); err != nil {
			return err
		}
	}
	if o.out == "" || o.out == "-" {
		if err := app.needsOutput(); err != nil {
			return err
		}
	}
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return problem.New("", "no random bytes: %s", err)
	}
	secret, err := determ.NewSecret(o.kid, b)
	if err != nil {
		return err
	}
	line, err := newLine(ctx, app, secret, source)
	if err != nil {
		return err
	}
	if err := writeSecret(app, o.out, line); err != nil {
		return err
	}
	check, err := secret.Check()
	if err == nil && !app.Quiet {
		fmt.Fprintf(app.Err, "key %s made; in a recipe: key: {kid: %s, %s, check: %s}\n", o.kid, o.kid, o.inRecipe(source), check)
		fmt.Fprintln(app.Err, "check gives nothing of the key away; where it stands, every command refuses another key of that name")
	}
	return err
}

// inRecipe gives the source of the key as a recipe names it.
func (o *keyNewOptions) inRecipe(passphrase *determ.Source) string {
	from := "env: IDEM_KEY"
	switch {
	case o.out == "" || o.out == "-":
	case showable(o.out) && !strings.ContainsAny(o.out, ",:@%"):
		from = "file: " + o.out
	default:
		from = "file: ..."
	}
	switch {
	case passphrase == nil:
		return from
	case passphrase.Env != "":
		return from + ", passphrase: {env: " + passphrase.Env + "}"
	}
	return from + ", passphrase: {env: IDEM_PASSPHRASE}"
}

func newLine(ctx context.Context, app *App, secret *determ.Secret, source *determ.Source) (string, error) {
	if source == nil {
		return secret.Line()
	}
	passphrase, err := keysource.NewRing(keyWorld(app, false)).Passphrase(ctx, *source)
	if err != nil {
		return "", err
	}
	return secret.Seal(passphrase, rand.Reader)
}

// writeSecret writes key material to standard output, or to a file that must
// not be there yet and that its owner alone may read.
func writeSecret(app *App, path, line string) error {
	if path == "" || path == "-" {
		_, err := fmt.Fprintln(app.Out, line)
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return problem.New(path, "there is a file of that name, and a key is never overwritten").WithHint("--out NEWFILE")
	}
	if err != nil {
		return problem.New(path, "cannot be made: %s", reason(err))
	}
	_, err = f.WriteString(line + "\n")
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(path)
		return problem.New(path, "cannot be written: %s", reason(err))
	}
	return nil
}
