package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// replicaLag is how long a record is not seen on the replica.
const replicaLag = 500 * time.Millisecond

var readsAReplica = Variant{
	Name:      "reads-a-replica",
	What:      "keys are looked up on a database replica that lags: a duplicate within half a second runs again",
	Caught:    []string{"duplicate", "concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return lagging{b} },
}

type lagging struct{ reference.Behaviour }

func (l lagging) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, found, err := s.Store().Find(ctx, ask.ID())
	if err != nil {
		return reference.Claim{}, err
	}
	if found && ask.Now.Sub(rec.Created) < replicaLag {
		return aside(ctx, s, ask)
	}
	return l.Behaviour.Claim(ctx, s, call, ask)
}
