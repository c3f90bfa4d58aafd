package pack

import (
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
)

// Variable is an environment variable that a live run reads, and the name under
// which a workflow has its value.
type Variable struct{ Name, Kept string }

// kept gives one. GitHub keeps no value under a name of its own.
func kept(name string) Variable {
	if strings.HasPrefix(strings.ToUpper(name), "GITHUB_") {
		return Variable{name, "IDEM_" + name}
	}
	return Variable{name, name}
}

// Ref is the version of the module that a workflow installs: "v0.1.0", and
// "main" where the idem that writes the pack is no release.
func (v Values) Ref() string {
	for _, part := range []string{"dev", "snapshot"} {
		if strings.Contains(v.Version, part) {
			return "main"
		}
	}
	return "v" + v.Version
}

// IgnoreLines are the pointers that the request fingerprint leaves out, one a
// line. A pointer with a line break in it is one that no line can give: it is
// left out, so that what it points at counts.
func (v Values) IgnoreLines() string {
	var lines []string
	for _, p := range v.Ignore {
		if !strings.ContainsAny(p, "\n\r") {
			lines = append(lines, p)
		}
	}
	return strings.Join(lines, "\n")
}

// ofLive says what a live run reads from the environment: credentials and keys,
// and what else the contract leaves open.
func (v *Values) ofLive(c *contract.Contract, r *determ.Recipe) {
	var secret []string
	for _, a := range []*contract.Auth{c.Target.Auth, c.Target.OtherAuth} {
		if a != nil {
			secret = append(secret, a.Env)
		}
	}
	for _, o := range c.Operations {
		if o.Effects != nil {
			secret = append(secret, o.Effects.SQL.DSNEnv)
		}
	}
	for _, k := range r.KeySpecs() {
		secret = append(secret, k.Source.Env)
		if k.Passphrase != nil {
			secret = append(secret, k.Passphrase.Env)
		}
	}
	seen := map[string]bool{"": true}
	add := func(to *[]Variable, names []string) {
		slices.Sort(names)
		for _, name := range names {
			if !seen[name] {
				seen[name] = true
				*to = append(*to, kept(name))
			}
		}
	}
	add(&v.Secrets, secret)
	add(&v.Settings, slices.DeleteFunc(leftOpen(string(c.Source)), runners))
}

// runners says whether the machine that runs a workflow has a variable of its
// own: one in its place would be empty, and without PATH nothing is found. Of
// GitHub's names only those of credentials are a caller's to give.
func runners(name string) bool {
	if strings.HasPrefix(name, "GITHUB_") {
		return !slices.ContainsFunc([]string{"_TOKEN", "_KEY", "_SECRET", "_PASSWORD"}, func(end string) bool { return strings.HasSuffix(name, end) })
	}
	return strings.HasPrefix(name, "RUNNER_") || slices.Contains([]string{"CI", "HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TMPDIR", "USER"}, name)
}

// leftOpen gives the names of all ${NAME} in a contract.
func leftOpen(source string) []string {
	var names []string
	for _, part := range strings.Split(source, "${")[1:] {
		if name, _, closed := strings.Cut(part, "}"); closed && determ.IsEnvName(name) {
			names = append(names, name)
		}
	}
	return names
}
