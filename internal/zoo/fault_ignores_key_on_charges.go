package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var ignoresKeyOnCharges = Variant{
	Name:      "ignores-key-on-charges",
	What:      "one endpoint accepts the key and ignores it, the others honour it",
	Caught:    []string{"duplicate", "concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return refundsOnly{b} },
}

type refundsOnly struct{ reference.Behaviour }

func (r refundsOnly) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if call.Kind == reference.Charge {
		return aside(ctx, s, ask)
	}
	return r.Behaviour.Claim(ctx, s, call, ask)
}
