package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var outageLeavesClaim = Variant{
	Name:      "outage-leaves-claim",
	What:      "a claim of the time without a store never ends: the key stays in flight",
	Caught:    []string{"store-down"},
	Says:      func(s *Says) { s.Promise["in_flight"] = "{status: [409], wait: true}" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return claimsForEver{b, newNoted[bool]()} },
}

type claimsForEver struct {
	reference.Behaviour
	claimed *noted[bool]
}

func (k claimsForEver) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := k.Behaviour.Claim(ctx, s, call, ask)
	if err != nil {
		k.claimed.set(ask.ID(), true)
	}
	return claim, err
}

func (k claimsForEver) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	key, refusal := k.Behaviour.Key(s, call)
	if refusal != nil {
		return key, refusal
	}
	if _, stuck := k.claimed.get(s.Behaviour().Scope(s, call).ID(key)); stuck {
		a := inFlight(409)
		return key, &a
	}
	return key, nil
}
