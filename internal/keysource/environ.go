package keysource

import (
	"runtime"
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
)

// EnvNames gives the environment variables that keys and passphrases come from.
func EnvNames(specs ...determ.KeySpec) []string {
	var names []string
	for _, spec := range specs {
		for _, s := range sourcesOf(spec) {
			if s.Env != "" {
				names = append(names, s.Env)
			}
		}
	}
	return names
}

func sourcesOf(spec determ.KeySpec) []determ.Source {
	if spec.Passphrase == nil {
		return []determ.Source{spec.Source}
	}
	return []determ.Source{spec.Source, *spec.Passphrase}
}

// ChildEnv gives the environment for a child process: without the named key
// variables, and without any other that holds a key line (determ-v1, Keys:
// children never inherit key variables).
func ChildEnv(environ []string, keys ...string) []string {
	kept := make([]string, 0, len(environ))
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		if !named(name, keys) && !determ.IsKeyLine(value) {
			kept = append(kept, e)
		}
	}
	return kept
}

// named compares as the platform does: Windows knows no case in names.
func named(name string, keys []string) bool {
	for _, k := range keys {
		if name == k || runtime.GOOS == "windows" && strings.EqualFold(name, k) {
			return true
		}
	}
	return false
}
