package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var stuckAfterExpiry = Variant{
	Name:   "stuck-after-expiry",
	What:   "an expired key is in flight for ever, where it is promised to be free",
	Caught: []string{"expiry"},
	Says: func(s *Says) {
		s.Promise["in_flight"] = "{status: [409], wait: true}"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return stuckExpired{unswept{b}} },
}

type stuckExpired struct{ reference.Behaviour }

func (k stuckExpired) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, past, err := over(ctx, s, ask)
	if err != nil || !past {
		return k.Behaviour.Claim(ctx, s, call, ask)
	}
	return reference.Claim{Verdict: reference.Busy, Record: rec}, nil
}

func (k stuckExpired) Busy(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) *reference.Answer {
	if rec.State == reference.InProgress {
		return k.Behaviour.Busy(ctx, s, call, rec)
	}
	a := inFlight(409)
	return &a
}
