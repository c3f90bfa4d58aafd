package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var otherCallerUnprotected = Variant{
	Name:      "other-caller-unprotected",
	What:      "whoever is not the key's first caller runs without a record: its retry runs again",
	Caught:    []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return protectsFirst{b, newNoted[string]()} },
}

type protectsFirst struct {
	reference.Behaviour
	owners *noted[string]
}

func (p protectsFirst) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if owner, known := p.owners.get(call.Path + " " + call.Key); known && owner != call.Caller {
		return aside(ctx, s, ask)
	}
	p.owners.set(call.Path+" "+call.Key, call.Caller)
	return p.Behaviour.Claim(ctx, s, call, ask)
}
