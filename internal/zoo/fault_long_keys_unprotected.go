package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var longKeysUnprotected = Variant{
	Name:      "long-keys-unprotected",
	What:      "keys of more than 128 characters are not recorded, and the failure is ignored",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return forgetsLong{b} },
}

type forgetsLong struct{ reference.Behaviour }

func (f forgetsLong) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if len(call.Key) > 128 {
		return aside(ctx, s, ask)
	}
	return f.Behaviour.Claim(ctx, s, call, ask)
}
