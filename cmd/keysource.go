package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/keysource"
	"github.com/idem-toolkit/idem/internal/problem"
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

// keyFlags name a key on the command line, for commands without a recipe. The
// key itself never is an argument.
type keyFlags struct {
	env, file  string
	fd         int
	kid        string
	format     string
	anyMode    bool
	passphrase passphraseFlags
}

func (k *keyFlags) register(f *pflag.FlagSet) {
	f.StringVar(&k.env, "key-env", "", "take the key from this environment `variable`")
	f.StringVar(&k.file, "key-file", "", "take the key from this `file`, which only its owner may read")
	f.IntVar(&k.fd, "key-fd", -1, "take the key from this file `descriptor`")
	f.StringVar(&k.kid, "kid", "", "the key's short `name`; an idemkey line brings its own")
	f.StringVar(&k.format, "key-format", string(determ.FormatIdemkey), "how the key is written: idemkey, hex, base64 or raw")
	f.BoolVar(&k.anyMode, "key-any-mode", false, "take a key file whatever its mode, as containers mount it")
	k.passphrase.register(f, "the passphrase of a sealed key")
}

// given says whether any source of a key was named.
func (k *keyFlags) given() bool { return k.env != "" || k.file != "" || k.fd >= 0 }

// spec gives the key that the flags name.
func (k *keyFlags) spec() (determ.KeySpec, error) {
	source, err := oneSource("--key", k.env, k.file, k.fd)
	if err != nil {
		return determ.KeySpec{}, err
	}
	source.AnyMode = k.anyMode
	spec := determ.KeySpec{Kid: k.kid, Source: *source, Format: determ.KeyFormat(k.format)}
	switch spec.Format {
	case determ.FormatIdemkey:
	case determ.FormatHex, determ.FormatBase64, determ.FormatRaw:
		if k.kid == "" {
			return spec, problem.New("--kid", "a key of format %s brings no kid", k.format).WithHint("--kid k1")
		}
	default:
		return spec, problem.New("--key-format", "%s is none of idemkey, hex, base64 and raw", document.Show(k.format)).WithHint("--key-format hex")
	}
	if k.kid != "" && !determ.IsKid(k.kid) {
		return spec, problem.New("--kid", "a kid is 1 to 16 lower-case letters and digits").WithHint("--kid k1")
	}
	spec.Passphrase, err = k.passphrase.source()
	return spec, err
}

// passphraseFlags name a passphrase.
type passphraseFlags struct {
	env, file string
	fd        int
}

func (p *passphraseFlags) register(f *pflag.FlagSet, what string) {
	f.StringVar(&p.env, "passphrase-env", "", "take "+what+" from this environment `variable`")
	f.StringVar(&p.file, "passphrase-file", "", "take "+what+" from this `file`, which only its owner may read")
	f.IntVar(&p.fd, "passphrase-fd", -1, "take "+what+" from this file `descriptor`")
}

// source gives the passphrase's source, nil where none is named.
func (p *passphraseFlags) source() (*determ.Source, error) {
	if p.env == "" && p.file == "" && p.fd < 0 {
		return nil, nil
	}
	return oneSource("--passphrase", p.env, p.file, p.fd)
}

func oneSource(flag, env, file string, fd int) (*determ.Source, error) {
	s := &determ.Source{Env: env, File: file}
	named := 0
	for _, set := range []bool{env != "", file != "", fd >= 0} {
		if set {
			named++
		}
	}
	if named != 1 {
		return nil, problem.New("", "%s-env, %s-file and %s-fd are one source each, and one is needed", flag, flag, flag).WithHint("%s-env NAME", flag)
	}
	if env != "" && !determ.IsEnvName(env) {
		return nil, problem.New(flag+"-env", "this takes the name of an environment variable, not a value").WithHint("%s-env IDEM_KEY", flag)
	}
	if fd == 1 || fd == 2 {
		return nil, problem.New(flag+"-fd", "descriptor %d is for output", fd).WithHint("%s-fd 3", flag)
	}
	if fd >= 0 {
		s.FD, s.IsFD = fd, true
	}
	return s, nil
}
