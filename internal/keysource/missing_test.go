package keysource

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// A new key is offered where none was used before, and where it would be read;
// never in the place of one that IDs were made with, and never with what a
// flag says.
func TestMissingKeys(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("here", 0o700); err != nil {
		t.Fatal(err)
	}
	absolute := filepath.ToSlash(filepath.Join(dir, "k1.key"))
	const bring = "put the key there; where none was used before: "
	file := func(name string) determ.KeySpec { return spec(determ.Source{File: name}) }
	with := func(s determ.KeySpec, change func(*determ.KeySpec)) determ.KeySpec { change(&s); return s }
	for name, c := range map[string]struct {
		spec determ.KeySpec
		dir  string
		want string
	}{
		"beside the caller":    {file("k1.key"), "", bring + "idem key new --kid k1 --out k1.key"},
		"beside the recipe":    {file("k1.key"), "here", bring + "idem key new --kid k1 --out here/k1.key"},
		"no such folder":       {file("keys/k1.key"), "here", bring + "mkdir -p here/keys && idem key new --kid k1 --out here/keys/k1.key"},
		"absolute":             {file(absolute), "here", bring + "idem key new --kid k1 --out " + absolute},
		"no plain name":        {file("my key; rm -rf x"), "", bring + "idem key new --kid k1 --out FILE"},
		"a key for a name":     {file(testLine), "", bring + "idem key new --kid k1 --out FILE"},
		"a flag":               {spec(determ.Source{File: "hunter2", Flag: "--key-file"}), "", bring + "idem key new --kid k1 --out FILE"},
		"a flag for a name":    {spec(determ.Source{Env: "hunter2", Flag: "--key-env"}), "", "--key-env takes the name of a variable that is set and exported"},
		"a variable":           {spec(determ.Source{Env: "K"}), "", `set K to the key; where none was used before: export K="$(idem key new --kid k1)"`},
		"any kid":              {with(file("k"), func(s *determ.KeySpec) { s.Kid = "" }), "", bring + "idem key new --out k"},
		"a known key":          {with(file("k"), func(s *determ.KeySpec) { s.Check = "ns4yyr77" }), "", "put the key there whose check value is ns4yyr77: a new one would make other IDs"},
		"a known variable":     {with(spec(determ.Source{Env: "K"}), func(s *determ.KeySpec) { s.Check = "ns4yyr77" }), "", "set K to the key whose check value is ns4yyr77: a new one would make other IDs"},
		"another form":         {with(file("k"), func(s *determ.KeySpec) { s.Format = determ.FormatHex }), "", "put the key there, written as hex; idem key new makes one for a recipe without format"},
		"sealed":               {with(file("k"), func(s *determ.KeySpec) { s.Passphrase = &determ.Source{Env: "P"} }), "", bring + "idem key new --kid k1 --passphrase-env P --out k"},
		"sealed by a file":     {with(file("k"), func(s *determ.KeySpec) { s.Passphrase = &determ.Source{File: "p"} }), "here", bring + "idem key new --kid k1 --passphrase-file here/p --out here/k"},
		"sealed by a command":  {with(file("k"), func(s *determ.KeySpec) { s.Passphrase = &determ.Source{Command: []string{"x"}} }), "", bring + "idem key new --kid k1 --passphrase-env NAME --out k"},
		"a folder of the home": {file("~/k1.key"), "", "no shell reads this name: write the folder out in place of ~ or a variable"},
	} {
		_, err := Load(t.Context(), c.spec, World{LookupEnv: env(), Dir: c.dir})
		if err == nil || filepath.ToSlash(problem.Hint(err)) != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, problem.Hint(err), c.want)
		}
		if missing := c.spec.Source.File != "~/k1.key"; errors.Is(err, ErrMissing) != missing {
			t.Errorf("%s: missing is %t", name, !missing)
		}
	}
	// A file that is there is never to be made anew.
	if err := os.WriteFile("empty", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), file("empty"), World{}); err == nil || problem.Hint(err) != "idem key new makes one" || errors.Is(err, ErrMissing) {
		t.Errorf("%v (%s)", err, problem.Hint(err))
	}
	// Nor is a missing passphrase a missing key.
	sealed := with(spec(determ.Source{Env: "K"}), func(s *determ.KeySpec) { s.Passphrase = &determ.Source{File: "nowhere"} })
	_, err := Load(t.Context(), sealed, World{LookupEnv: env("K", sealedLine(t, "open sesame"))})
	if err == nil || errors.Is(err, ErrMissing) || problem.Hint(err) != "put the passphrase there, in a file that its owner alone may read" {
		t.Errorf("%v (%s)", err, problem.Hint(err))
	}
}
