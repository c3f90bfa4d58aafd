package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var cachedReplayIgnoresBody = Variant{
	Name:      "cached-replay-ignores-body",
	What:      "the answer of a key that was replayed once comes from a cache that does not look at the body",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return cachesReplay{b, newNoted[reference.Answer]()} },
}

type cachesReplay struct {
	reference.Behaviour
	cache *noted[reference.Answer]
}

func (c cachesReplay) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := c.Behaviour.Replay(ctx, s, call, rec)
	c.cache.set(recordID(s, call), a)
	return a
}

func (c cachesReplay) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if a, cached := c.cache.get(recordID(s, call)); cached {
		return a
	}
	return c.Behaviour.Conflict(ctx, s, call, rec)
}
