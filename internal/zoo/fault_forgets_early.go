package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var forgetsEarly = Variant{
	Name:      "forgets-early",
	What:      "a key is forgotten after three quarters of the promised time",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return shortRetention{b} },
}

type shortRetention struct{ reference.Behaviour }

func (f shortRetention) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Expires = ask.Now.Add(ask.Expires.Sub(ask.Now) * 3 / 4)
	return f.Behaviour.Claim(ctx, s, call, ask)
}
