package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var hangUpFreesKey = Variant{
	Name:      "hang-up-frees-key",
	What:      "when the caller hangs up its key is free at once, while the operation goes on",
	Caught:    []string{"disconnect"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return freeing{unfenced{unrenewed{b}}} },
}

type freeing struct{ reference.Behaviour }

func (b freeing) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := b.Behaviour.Claim(ctx, s, call, ask)
	if err == nil && claim.Verdict == reference.Won {
		go func() {
			select {
			case <-call.Gone: // also when it is answered: a finished record is left alone
				_ = s.Store().Release(ctx, claim.Record.Lease)
			case <-ctx.Done():
			}
		}()
	}
	return claim, err
}
