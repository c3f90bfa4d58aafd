package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var keysPerProcess = Variant{
	Name:      "keys-per-process",
	What:      "each replica keeps its own keys: a retry at another one runs again",
	Caught:    []string{"replicas"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return ownKeys{b, "/"} },
}

type ownKeys struct {
	reference.Behaviour
	replica string
}

func (o ownKeys) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Key = s.Options().Instance + o.replica + ask.Key
	return o.Behaviour.Claim(ctx, s, call, ask)
}
