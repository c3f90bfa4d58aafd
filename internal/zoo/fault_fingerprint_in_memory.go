package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var fingerprintInMemory = Variant{
	Name:      "fingerprint-in-memory",
	What:      "fingerprints are kept in memory: after a restart any body gets the first result",
	Caught:    []string{"conflict"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return printsInMemory{b, newStart()} },
}

type printsInMemory struct {
	reference.Behaviour
	start start
}

func (p printsInMemory) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	return p.Behaviour.Claim(ctx, s, call, p.start.sign(ask))
}

func (p printsInMemory) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if p.start.left(rec) && rec.State != reference.InProgress {
		return s.Behaviour().Replay(ctx, s, call, rec)
	}
	return p.Behaviour.Conflict(ctx, s, call, rec)
}
