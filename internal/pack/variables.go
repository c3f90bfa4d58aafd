package pack

import (
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// CheckVariables refuses names of variables that a workflow must not give values
// of its own: what a shell, a loader, GitHub or idem itself goes by. A contract
// that somebody else wrote would have them set for the steps of a live run.
// recipeFile is for errors.
func CheckVariables(c *contract.Contract, r *determ.Recipe, recipeFile string) error {
	bad := func(where, name string) error {
		if !reserved(name) {
			return nil
		}
		return problem.New(where, "the variable %s is the system's own: a workflow cannot hold another value in it", document.Show(name)).
			WithHint("a name of your own, such as API_TOKEN")
	}
	for _, a := range []*contract.Auth{c.Target.Auth, c.Target.OtherAuth} {
		if a != nil {
			if err := bad(c.Where(a.Pos), a.Env); err != nil {
				return err
			}
		}
	}
	for _, o := range c.Operations {
		if o.Effects != nil {
			if err := bad(c.Where(o.Pos), o.Effects.SQL.DSNEnv); err != nil {
				return err
			}
		}
	}
	for _, k := range r.KeySpecs() {
		names := []string{k.Source.Env}
		if k.Passphrase != nil {
			names = append(names, k.Passphrase.Env)
		}
		for _, name := range names {
			if err := bad(recipeFile, name); err != nil {
				return err
			}
		}
	}
	for _, name := range leftOpen(string(c.Source)) {
		if !runners(name) {
			if err := bad(c.File, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// reserved says whether a program that a workflow runs goes by a variable before
// it does what it is there for. Systems differ in whether capitals count.
func reserved(name string) bool {
	name = strings.ToUpper(name)
	if runners(name) {
		return true
	}
	for _, prefix := range []string{"ACTIONS_", "BASH_", "DYLD_", "GIT_", "IDEM_ACTION_", "IDEM_WORKFLOW_", "LD_", "NPM_CONFIG_", "PYTHON"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"ALL_PROXY", "BASHOPTS", "CDPATH", "ENV", "GLOBIGNORE", "GOBIN", "GODEBUG", "GOENV", "GOFLAGS", "GOPATH", "GOPROXY", "GOROOT",
		"GOSUMDB", "GOTOOLCHAIN", "HTTPS_PROXY", "HTTP_PROXY", "IDEM_COLOR", "IDEM_CONFIG", "IDEM_FORMAT", "IDEM_QUIET", "IDEM_REQUIRE_EFFECTS",
		"IDEM_REQUIRE_LIVE", "IDEM_SEED", "IDEM_VERBOSE", "IFS", "JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "NODE_PATH", "NO_PROXY", "OLDPWD", "PERL5LIB",
		"PERL5OPT", "PROMPT_COMMAND", "PS1", "PS4", "RUBYOPT", "SHELLOPTS", "SSLKEYLOGFILE", "SSL_CERT_DIR", "SSL_CERT_FILE"}, name)
}
