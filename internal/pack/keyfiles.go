package pack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
)

// KeyFile is a file beneath the recipe's folder that holds a key or a
// passphrase. A workflow has what is in it as a secret, and writes the file for
// the one step that reads it.
type KeyFile struct {
	Name     string // slashed, relative to the pack's folder
	Folder   string // "" where it lies in the pack's folder itself
	Secret   string // "IDEM_KEY_K1"
	Variable string // under which the step has it, and its name with _FILE: "IDEM_WORKFLOW_KEY_1"
}

// ofKeys says which keys of a recipe are in files that a workflow can write, and
// which it cannot bring at all.
func (v *Values) ofKeys(r *determ.Recipe) {
	taken := func(secret string) bool {
		return slices.ContainsFunc(v.Secrets, func(s Variable) bool { return s.Kept == secret }) ||
			slices.ContainsFunc(v.KeyFiles, func(k KeyFile) bool { return k.Secret == secret })
	}
	add := func(s determ.Source, format determ.KeyFormat, secret string) {
		if s.Env != "" {
			return
		}
		name := path.Clean(s.File)
		if s.File == "" || format == determ.FormatRaw || checkName("", name) != nil {
			v.Unbrought = append(v.Unbrought, s.String())
			return
		}
		if slices.ContainsFunc(v.KeyFiles, func(k KeyFile) bool { return k.Name == name }) {
			return
		}
		for base, n := secret, 2; taken(secret); n++ {
			secret = fmt.Sprintf("%s_%d", base, n)
		}
		k := KeyFile{Name: name, Folder: path.Dir(name), Secret: secret, Variable: fmt.Sprintf("IDEM_WORKFLOW_KEY_%d", len(v.KeyFiles)+1)}
		if k.Folder == "." {
			k.Folder = ""
		}
		v.KeyFiles = append(v.KeyFiles, k)
	}
	for _, k := range r.KeySpecs() {
		kid := strings.ToUpper(k.Kid)
		add(k.Source, k.Format, "IDEM_KEY_"+kid)
		if k.Passphrase != nil {
			add(*k.Passphrase, determ.FormatIdemkey, "IDEM_PASSPHRASE_"+kid)
		}
	}
	v.Makable = r.Key.Format != determ.FormatRaw && r.Key.Check == "" && r.Key.Passphrase == nil
	for _, k := range v.KeyFiles {
		if r.Key.Source.File != "" && k.Name == path.Clean(r.Key.Source.File) {
			v.Key = k
		}
	}
}
