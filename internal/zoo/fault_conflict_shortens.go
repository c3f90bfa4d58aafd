package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var conflictShortens = Variant{
	Name:      "conflict-shortens",
	What:      "a key that met a conflict is forgotten after half of the promised time",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return shortens{b, newNoted[bool]()} },
}

type shortens struct {
	reference.Behaviour
	met *noted[bool] // keys that met a conflict
}

func (h shortens) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if met, _ := h.met.get(ask.ID()); met {
		var err error
		if ask, err = halved(ctx, s, ask); err != nil {
			return reference.Claim{}, err
		}
	}
	return h.Behaviour.Claim(ctx, s, call, ask)
}

func (h shortens) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	h.met.set(recordID(s, call), true)
	return h.Behaviour.Conflict(ctx, s, call, rec)
}

// halved is the ask as it would be at a finished record's end, where half of
// its retention is over.
func halved(ctx context.Context, s *reference.Service, ask reference.Ask) (reference.Ask, error) {
	rec, found, err := s.Store().Find(ctx, ask.ID())
	if err == nil && found && rec.State != reference.InProgress && ask.Now.Before(rec.Expires) &&
		ask.Now.After(rec.Created.Add(s.Options().Retention/2)) {
		ask.Expires = rec.Expires.Add(ask.Expires.Sub(ask.Now))
		ask.Now = rec.Expires
	}
	return ask, err
}
