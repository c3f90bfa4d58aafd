package zoo

import (
	"context"
	"sync/atomic"

	"github.com/idem-toolkit/idem/internal/reference"
)

var storeComesBackEmpty = Variant{
	Name:      "store-comes-back-empty",
	What:      "a store that was away comes back without its keys: what was finished runs again",
	Caught:    []string{"store-down"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return comesBackEmpty{b, &atomic.Int64{}} },
}

type comesBackEmpty struct {
	reference.Behaviour
	losses *atomic.Int64
}

func (c comesBackEmpty) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if s.Store().Ping(ctx) != nil {
		c.losses.Store(1)
	}
	if c.losses.Load() > 0 {
		ask.Key = "after the outage " + ask.Key
	}
	return c.Behaviour.Claim(ctx, s, call, ask)
}
