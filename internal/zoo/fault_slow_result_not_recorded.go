package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var slowResultNotRecorded = Variant{
	Name:      "slow-result-not-recorded",
	What:      "what an operation made that took longer than the lease is not recorded, and its key stays in flight",
	Caught:    []string{"slow"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return tooLate{b} },
}

type tooLate struct{ reference.Behaviour }

func (b tooLate) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	call.Notes["claimed"] = ask.Now
	return b.Behaviour.Claim(ctx, s, call, ask)
}

func (b tooLate) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if claimed, ok := call.Notes["claimed"].(time.Time); ok && c.Now.Sub(claimed) > s.Options().Lease {
		return effectAlone(ctx, s, c, true)
	}
	return b.Behaviour.Commit(ctx, s, call, c)
}
