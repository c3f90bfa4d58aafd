package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// expiryWindow is how far the deletion and the insertion are apart.
const expiryWindow = 10 * time.Millisecond

var runsThriceAfterExpiry = Variant{
	Name:      "runs-thrice-after-expiry",
	What:      "an expired key is deleted and inserted in two steps: duplicates that come together after it all run",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return replacesExpired{unswept{b}} },
}

type replacesExpired struct{ reference.Behaviour }

func (r replacesExpired) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	_, past, err := over(ctx, s, ask)
	if err != nil || !past {
		return r.Behaviour.Claim(ctx, s, call, ask)
	}
	if err := s.Sleep(ctx, expiryWindow); err != nil {
		return reference.Claim{}, err
	}
	return orAside(ctx, r.Behaviour, s, call, ask)
}
