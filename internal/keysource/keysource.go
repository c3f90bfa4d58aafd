// Package keysource loads the secrets that recipes name: from an environment
// variable, a file, a descriptor or a command (determ-v1, Keys). It is the
// only room in which key material enters the process.
//
// It reads in the order in which a secret is loaded: the ring (keysource.go),
// the sources (read.go, file.go and its platforms, fd_*.go, command.go), and
// what children may inherit (environ.go).
package keysource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// World is what loading may touch.
type World struct {
	LookupEnv func(string) (string, bool)
	Environ   func() []string
	Stdin     io.Reader // descriptor 0; nil: the process's own
	Dir       string    // what key files and commands are relative to; empty: the working directory
	Triples   []determ.Triple
	// Specs are all keys of the run. Children get none of their variables and
	// descriptors, whichever of them is being loaded.
	Specs           []determ.KeySpec
	AllowTestSecret bool
	Timeout         time.Duration // for one source; 0: 30 s
	Waits           func()        // called before a source is read that may keep waiting; nil: nothing
}

// ForRecipe gives a world for the keys of a recipe and its listed versions.
func (w World) ForRecipe(r *determ.Recipe, dir string) World {
	w.Dir = dir
	w.Specs = r.KeySpecs()
	w.Triples = nil
	for _, l := range r.All() {
		w.Triples = append(w.Triples, l.Recipe.Triple)
	}
	return w
}

// Load reads one secret. Errors are *problem.Error, stand where the recipe
// names the key, and never show any of it.
func Load(ctx context.Context, spec determ.KeySpec, w World) (*determ.Secret, error) {
	return NewRing(w).Load(ctx, spec)
}

// Ring loads each key of a run once: a descriptor can be read only once, and
// a command may ask a person.
type Ring struct {
	world World
	read  map[string][]byte // by source
}

// NewRing makes an empty ring.
func NewRing(w World) *Ring {
	if w.Timeout == 0 {
		w.Timeout = 30 * time.Second
	}
	return &Ring{world: w, read: map[string][]byte{}}
}

// Load gives the secret of a spec, held to its kid and check value.
func (r *Ring) Load(ctx context.Context, spec determ.KeySpec) (*determ.Secret, error) {
	secret, err := r.load(ctx, spec)
	if err == nil && !r.world.AllowTestSecret && secret.IsPublic(r.world.Triples...) {
		err = problem.New("", "this is the public test secret, which everyone knows").
			WithHint("--allow-test-secret for a trial, or idem key new for a secret of your own")
	}
	if err != nil {
		return nil, located(spec, err)
	}
	return secret, nil
}

func (r *Ring) load(ctx context.Context, spec determ.KeySpec) (*determ.Secret, error) {
	text, err := r.source(ctx, spec.Source)
	if errors.Is(err, errAbsent) {
		return nil, problem.New("", "%s", err).WithHint("%s", r.world.missing(spec)).Because(ErrMissing)
	}
	if err != nil {
		return nil, err
	}
	var ask func() ([]byte, error)
	if spec.Passphrase != nil {
		ask = func() ([]byte, error) {
			return r.Passphrase(ctx, *spec.Passphrase)
		}
	}
	secret, err := spec.ReadKeyText(text, ask)
	if err != nil && len(bytes.TrimSpace(text)) == 0 && spec.Source.Env != "" && spec.Source.Flag == "" {
		return nil, problem.New("", "%s", err).WithHint("%s", r.world.missing(spec)).Because(ErrMissing)
	}
	return secret, err
}

// Passphrase reads one passphrase. Its errors say where it was to come from.
func (r *Ring) Passphrase(ctx context.Context, s determ.Source) ([]byte, error) {
	b, err := r.source(ctx, s)
	hint := problem.Hint(err)
	switch {
	case err == nil && strings.TrimRight(string(b), "\r\n") == "":
		err = problem.New("", "it is empty")
	case err == nil:
		return b, nil
	case s.Env != "" && s.Flag == "":
		hint = "set " + s.Env + " to the passphrase"
	case errors.Is(err, errAbsent) && s.File != "":
		hint = "put the passphrase there, in a file that its owner alone may read"
	}
	return nil, &problem.Error{What: "the passphrase from " + s.String() + ": " + err.Error(), Hint: hint, Err: err}
}

// source reads a source once.
func (r *Ring) source(ctx context.Context, s determ.Source) ([]byte, error) {
	name := fmt.Sprintf("%q %q %t %t %d %q", s.Env, s.File, s.AnyMode, s.IsFD, s.FD, s.Command)
	if b, ok := r.read[name]; ok {
		return b, nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.world.Timeout)
	defer cancel()
	b, err := r.world.readSource(ctx, s)
	if err == nil && len(b) > determ.MaxKeyText {
		err = problem.New("", "%s has more than %d bytes", s, determ.MaxKeyText)
	}
	if err != nil {
		return nil, err
	}
	r.read[name] = b
	return b, nil
}

// located says which key it was and where the recipe names it.
func located(spec determ.KeySpec, err error) error {
	what := "the key from " + spec.Source.String()
	if spec.Kid != "" {
		what = "key " + spec.Kid + " from " + spec.Source.String()
	}
	return &problem.Error{Where: spec.Where, What: what + ": " + err.Error(), Hint: problem.Hint(err), Err: err}
}
