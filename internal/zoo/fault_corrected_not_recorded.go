package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var correctedNotRecorded = Variant{
	Name:   "corrected-not-recorded",
	What:   "a refusal frees its key, and what runs under it then is not recorded: its retry runs again",
	Caught: []string{"outcome"},
	Says: func(s *Says) {
		s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "402": release, "4xx": any, "5xx": release}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return forgetsCorrected{b, newNoted[bool]()} },
}

type forgetsCorrected struct {
	reference.Behaviour
	refused *noted[bool]
}

func (f forgetsCorrected) Keep(s *reference.Service, call *reference.Call, a reference.Answer) bool {
	if a.Status == 402 {
		f.refused.set(recordID(s, call), true)
		return false
	}
	return f.Behaviour.Keep(s, call, a)
}

func (f forgetsCorrected) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if _, refused := f.refused.get(ask.ID()); refused {
		return aside(ctx, s, ask)
	}
	return f.Behaviour.Claim(ctx, s, call, ask)
}
