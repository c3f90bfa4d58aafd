package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

func claimRenewedAFewTimes() Variant {
	return Variant{
		Name:      "claim-renewed-a-few-times",
		What:      "a live owner renews its claim until it has worked for two leases, then a duplicate takes it, and both have the effect",
		Caught:    []string{"slow"},
		Says:      inFlight409.Says,
		Options:   inFlight409.Options,
		Behaviour: func(b reference.Behaviour) reference.Behaviour { return renewsAFewTimes{unfenced{b}} },
	}
}

type renewsAFewTimes struct{ reference.Behaviour }

// Renew keeps a claim for a little more than two leases of its owner's work.
func (r renewsAFewTimes) Renew(ctx context.Context, s *reference.Service, l reference.Lease) error {
	rec, found, err := s.Store().Find(ctx, l.ID)
	if err != nil {
		return err
	}
	lease := s.Options().Lease
	end, most := s.Now().Add(lease), rec.Created.Add(2*lease+lease/7)
	if found && end.After(most) {
		end = most
	}
	if !end.After(s.Now()) {
		return nil
	}
	return s.Store().Renew(ctx, l, end)
}
