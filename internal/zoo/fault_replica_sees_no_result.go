package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replicaSeesNoResult = Variant{
	Name:      "replica-sees-no-result",
	What:      "a replica finds the claim of another one and never its result: the retry there is refused as in flight",
	Caught:    []string{"replicas"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return ownResults{b, newNoted[bool]()} },
}

type ownResults struct {
	reference.Behaviour
	done *noted[bool]
}

func (o ownResults) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	o.done.set(c.Lease.ID, true)
	return o.Behaviour.Commit(ctx, s, call, c)
}

func (o ownResults) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if _, own := o.done.get(rec.Lease.ID); !own {
		return inFlight(409)
	}
	return o.Behaviour.Replay(ctx, s, call, rec)
}
