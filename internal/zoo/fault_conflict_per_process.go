package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var conflictPerProcess = Variant{
	Name:      "conflict-per-process",
	What:      "fingerprints are kept by each process: another replica replays to a changed body",
	Caught:    []string{"replicas", "conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return ownPrints{b, newNoted[string]()} },
}

type ownPrints struct {
	reference.Behaviour
	prints *noted[string]
}

func (o ownPrints) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	own := ask.Fingerprint
	ask.Fingerprint = "kept by the process"
	claim, err := o.Behaviour.Claim(ctx, s, call, ask)
	if err != nil || claim.Verdict == reference.Won {
		o.prints.set(ask.ID(), own)
		return claim, err
	}
	if known, found := o.prints.get(ask.ID()); found && known != own {
		claim.Verdict = reference.Mismatch
	}
	return claim, err
}
