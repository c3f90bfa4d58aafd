package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

const leaseFactor = 4

var leaseTooLong = Variant{
	Name:    "lease-too-long",
	What:    "a dead owner blocks its key four times as long as promised",
	Caught:  []string{"crash"},
	Lasting: true,
	Says: func(s *Says) {
		delete(s.Crash, "recovery") // the lease
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return longLease{b} },
}

type longLease struct{ reference.Behaviour }

func (l longLease) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.LeaseUntil = ask.Now.Add(leaseFactor * ask.LeaseUntil.Sub(ask.Now))
	return l.Behaviour.Claim(ctx, s, call, ask)
}

func (longLease) Renew(ctx context.Context, s *reference.Service, lease reference.Lease) error {
	return s.Store().Renew(ctx, lease, s.Now().Add(leaseFactor*s.Options().Lease))
}
