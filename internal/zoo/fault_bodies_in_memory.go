package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var bodiesInMemory = Variant{
	Name:      "bodies-in-memory",
	What:      "the record keeps the status, and a cache in memory the body: after a restart replays are empty",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return cachesBodies{b, newNoted[[]byte]()} },
}

type cachesBodies struct {
	reference.Behaviour
	bodies *noted[[]byte]
}

func (m cachesBodies) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if c.Answer != nil && c.Lease.ID != "" {
		kept := *c.Answer
		m.bodies.set(c.Lease.ID, kept.Body)
		kept.Body, c.Answer = nil, &kept
	}
	return m.Behaviour.Commit(ctx, s, call, c)
}

func (m cachesBodies) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	rec.Answer.Body, _ = m.bodies.get(rec.Lease.ID)
	return m.Behaviour.Replay(ctx, s, call, rec)
}
