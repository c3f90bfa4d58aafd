package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var noLease = Variant{
	Name:   "no-lease",
	What:   "a claim has no lease: a dead owner blocks its key until the retention ends",
	Caught: []string{"crash"},
	Says: func(s *Says) {
		delete(s.Crash, "recovery") // the lease
	},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return noLimit{unrenewed{b}} },
}

type noLimit struct{ reference.Behaviour }

func (n noLimit) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.LeaseUntil = ask.Expires
	return n.Behaviour.Claim(ctx, s, call, ask)
}
