package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var outageIsStored = Variant{
	Name:      "outage-is-stored",
	What:      "the error of an outage is kept as the key's result, and given when the store is back",
	Caught:    []string{"store-down"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return keepsOutage{b, newNoted[bool]()} },
}

type keepsOutage struct {
	reference.Behaviour
	failed *noted[bool]
}

func (k keepsOutage) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if _, failed := k.failed.get(ask.ID()); failed {
		return reference.Claim{Verdict: reference.Finished, Record: reference.Record{
			Answer: reference.RefuseFor(503, "store-unavailable", "the store could not be reached", 1)}}, nil
	}
	claim, err := k.Behaviour.Claim(ctx, s, call, ask)
	if err != nil {
		k.failed.set(ask.ID(), true)
	}
	return claim, err
}
