package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var keysInMemory = Variant{
	Name:      "keys-in-memory",
	What:      "keys are kept in memory and effects in the database: after a restart every retry runs again",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return forgetful{b, newStart()} },
}

type forgetful struct {
	reference.Behaviour
	start start
}

func (k forgetful) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Key = string(k.start) + ask.Key
	return k.Behaviour.Claim(ctx, s, call, ask)
}
