package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var expiredIsConflict = Variant{
	Name:      "expired-is-conflict",
	What:      "an expired key is refused as another request's, where it is promised to be free",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return refusesExpired{unswept{b}} },
}

type refusesExpired struct{ reference.Behaviour }

func (r refusesExpired) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, past, err := over(ctx, s, ask)
	if err != nil || !past {
		return r.Behaviour.Claim(ctx, s, call, ask)
	}
	return reference.Claim{Verdict: reference.Mismatch, Record: rec}, nil
}
