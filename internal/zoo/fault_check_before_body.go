package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

// freeNote says that a call found its key free.
const freeNote = "free"

var checkBeforeBody = Variant{
	Name:      "check-before-body",
	What:      "the key is looked up when the head has come and claimed when the body has: copies whose bodies come together all run",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return checksEarly{b} },
}

type checksEarly struct{ reference.Behaviour }

func (c checksEarly) Arrive(ctx context.Context, s *reference.Service, call *reference.Call) {
	c.Behaviour.Arrive(ctx, s, call)
	id := s.Behaviour().Scope(s, call).ID(call.Header.Get("Idempotency-Key"))
	rec, found, err := s.Store().Find(ctx, id)
	if err == nil && (!found || rec.State != reference.InProgress && !rec.Expires.After(s.Now())) {
		call.Notes[freeNote] = true
	}
}

func (c checksEarly) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if call.Notes[freeNote] != nil {
		return orAside(ctx, c.Behaviour, s, call, ask)
	}
	return c.Behaviour.Claim(ctx, s, call, ask)
}
