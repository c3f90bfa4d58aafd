package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var waitersFailAtTheLease = Variant{
	Name:      "waiters-fail-at-the-lease",
	What:      "a copy that waits for an operation longer than the lease gets 500",
	Caught:    []string{"slow"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return impatient{b} },
}

type impatient struct{ reference.Behaviour }

func (b impatient) Busy(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) *reference.Answer {
	if s.Now().Sub(rec.Created) > s.Options().Lease {
		a := reference.Refuse(500, "lock-timeout", "the lock was not had in time")
		return &a
	}
	return b.Behaviour.Busy(ctx, s, call, rec)
}
