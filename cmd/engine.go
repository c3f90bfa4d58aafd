package cmd

import (
	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// engineFlags say who writes canonical forms.
type engineFlags struct {
	cross bool
	word  string // of --engine; empty where a command has none
}

// registerCross adds --cross-check.
func (e *engineFlags) registerCross(f *pflag.FlagSet) {
	f.BoolVar(&e.cross, "cross-check", false, "have gowebpki/jcs write every canonical form too; exit 2 at the first difference")
}

// register adds --engine too.
func (e *engineFlags) register(f *pflag.FlagSet) {
	e.registerCross(f)
	f.StringVar(&e.word, "engine", "own", "own, or reference for gowebpki/jcs behind a reader of its own")
}

func (e *engineFlags) engine() (fingerprint.Engine, error) {
	engine := fingerprint.Own
	if e.word != "" {
		var ok bool
		if engine, ok = fingerprint.ParseEngine(e.word); !ok {
			return engine, noneOf("--engine", e.word, "reference", "own", "reference")
		}
	}
	if !e.cross {
		return engine, nil
	}
	if engine == fingerprint.Reference {
		return engine, problem.New("--cross-check", "it runs both engines, and --engine asks for one").WithHint("leave --engine out")
	}
	return fingerprint.CrossCheck, nil
}
