//go:build !windows

package keysource

import (
	"testing"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// The way out of a refused mode is told in the words of the place that names
// the file, and only where there is one.
func TestTheWayOutOfAModeIsThere(t *testing.T) {
	open := write(t, "key of all", keyLine, 0o644)
	sealed := sealedLine(t, "open sesame")
	byFlag := func(flag string) determ.KeySpec {
		return determ.KeySpec{Source: determ.Source{File: open, Flag: flag}, Format: determ.FormatIdemkey}
	}
	passphrase := func(s determ.KeySpec, flag string) determ.KeySpec {
		s.Source, s.Passphrase = determ.Source{Env: "K"}, &determ.Source{File: open, Flag: flag}
		return s
	}
	const inRecipe = ", or, where a container mounts it so, mode: any beside file: in the recipe"
	for name, c := range map[string]struct {
		spec determ.KeySpec
		want string
	}{
		"a recipe's key":           {spec(determ.Source{File: open}), inRecipe},
		"a recipe's passphrase":    {passphrase(spec(determ.Source{}), ""), inRecipe},
		"a key by flag":            {byFlag("--key-file"), ", or, where a container mounts it so, --key-any-mode"},
		"a key by argument":        {byFlag("FILE"), ", or, where a container mounts it so, --key-any-mode"},
		"a passphrase by its flag": {passphrase(byFlag(""), "--passphrase-file"), ""},
	} {
		_, err := Load(t.Context(), c.spec, World{LookupEnv: env("K", sealed)})
		if got, want := problem.Hint(err), "chmod 600 '"+open+"'"+c.want; got != want {
			t.Errorf("%s: %v: %q, want %q", name, err, got, want)
		}
	}
}

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{"keys/k1.key": "keys/k1.key", "a b": "'a b'", "it's": `'it'\''s'`, "-r": "'-r'", "": "''", "$HOME": "'$HOME'", "é": "'é'"} {
		if got := quoted(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
