package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replicaForgetsEarly = Variant{
	Name:      "replica-forgets-early",
	What:      "a replica whose clock is ahead forgets another one's keys after half of the promised time",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return clockAhead{b, newNoted[bool]()} },
}

type clockAhead struct {
	reference.Behaviour
	own *noted[bool] // keys that this replica finished
}

func (a clockAhead) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if own, _ := a.own.get(ask.ID()); !own {
		var err error
		if ask, err = halved(ctx, s, ask); err != nil {
			return reference.Claim{}, err
		}
	}
	return a.Behaviour.Claim(ctx, s, call, ask)
}

func (a clockAhead) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	a.own.set(c.Lease.ID, true)
	return a.Behaviour.Commit(ctx, s, call, c)
}
