package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var conflictExtends = Variant{
	Name:      "conflict-extends",
	What:      "a conflict moves the end of the key's retention on, where it is promised to count from the first use",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return extends{unswept{b}, newNoted[bool]()} },
}

type extends struct {
	reference.Behaviour
	met *noted[bool] // keys that met a conflict
}

func (e extends) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, past, err := over(ctx, s, ask)
	if err != nil {
		return reference.Claim{}, err
	}
	if met, _ := e.met.get(ask.ID()); past && met {
		ask = notYetOver(ask, rec)
	}
	return e.Behaviour.Claim(ctx, s, call, ask)
}

func (e extends) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	e.met.set(recordID(s, call), true)
	return e.Behaviour.Conflict(ctx, s, call, rec)
}
