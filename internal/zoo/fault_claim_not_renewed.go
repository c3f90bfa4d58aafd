package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var claimNotRenewed = Variant{
	Name:      "claim-not-renewed",
	What:      "a live owner does not renew its claim: when the lease is over a duplicate takes it, and both have the effect",
	Caught:    []string{"slow"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return unrenewed{b} },
}

type unrenewed struct{ reference.Behaviour }

func (unrenewed) Renew(context.Context, *reference.Service, reference.Lease) error { return nil }

func (b unrenewed) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	return unfenced(ctx, s, c, b.Behaviour.Commit(ctx, s, call, c))
}
