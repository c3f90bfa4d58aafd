package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var forgetsWhenSwept = Variant{
	Name:      "forgets-when-swept",
	What:      "a key past its retention is answered until the sweeper comes by",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return sweptOnly{b} },
}

type sweptOnly struct{ reference.Behaviour }

func (o sweptOnly) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, past, err := over(ctx, s, ask)
	if err != nil {
		return reference.Claim{}, err
	}
	if past {
		ask = notYetOver(ask, rec)
	}
	return o.Behaviour.Claim(ctx, s, call, ask)
}
