package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var effectBeforeLostRecord = Variant{
	Name:      "effect-before-lost-record",
	What:      "the effect happens, the record cannot be written, and the caller is told of an error: its retry runs again",
	Caught:    []string{"store-down"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return recordsLast{b} },
}

type recordsLast struct{ reference.Behaviour }

func (r recordsLast) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := r.Behaviour.Claim(ctx, s, call, ask)
	if err != nil {
		runAgain(ctx, s, call)
	}
	return claim, err
}
