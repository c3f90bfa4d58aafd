package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var cachedInOutage = Variant{
	Name:      "cached-in-outage",
	What:      "while its store is away the service gives finished results from a cache, and does nothing new",
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return caches{b, newNoted[reference.Record]()} },
}

// caches keeps finished records in memory, for when the store is away.
type caches struct {
	reference.Behaviour
	finished *noted[reference.Record]
}

func (c caches) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := c.Behaviour.Claim(ctx, s, call, ask)
	if err == nil {
		if claim.Verdict == reference.Finished {
			c.finished.set(ask.ID(), claim.Record)
		}
		return claim, nil
	}
	rec, known := c.finished.get(ask.ID())
	switch {
	case !known || !rec.Expires.After(ask.Now):
		return claim, err
	case rec.Fingerprint != ask.Fingerprint:
		return reference.Claim{Verdict: reference.Mismatch, Record: rec}, nil
	}
	return reference.Claim{Verdict: reference.Finished, Record: rec}, nil
}

func (c caches) Commit(ctx context.Context, s *reference.Service, call *reference.Call, change reference.Change) error {
	err := c.Behaviour.Commit(ctx, s, call, change)
	if err != nil || !change.Keep || change.Answer == nil {
		return err
	}
	if rec, found, err := s.Store().Find(ctx, change.Lease.ID); err == nil && found && rec.State != reference.InProgress {
		c.finished.set(change.Lease.ID, rec)
	}
	return nil
}
