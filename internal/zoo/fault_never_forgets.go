package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var neverForgets = Variant{
	Name:      "never-forgets",
	What:      "keys are kept for ever, where a longest time is promised",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return keepsForEver{b} },
}

type keepsForEver struct{ reference.Behaviour }

func (k keepsForEver) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Expires = ask.Now.AddDate(100, 0, 0)
	return k.Behaviour.Claim(ctx, s, call, ask)
}
