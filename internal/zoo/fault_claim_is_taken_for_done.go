package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var claimIsTakenForDone = Variant{
	Name:      "claim-is-taken-for-done",
	What:      "a claim that a dead owner left is taken for a finished operation, and answered empty",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return claimIsDone{b, newStart()} },
}

type claimIsDone struct {
	reference.Behaviour
	start start
}

func (c claimIsDone) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, orphan, err := c.start.orphan(ctx, s, ask)
	if err != nil || !orphan {
		return c.Behaviour.Claim(ctx, s, call, c.start.sign(ask))
	}
	rec.Answer = nothingYet()
	return reference.Claim{Verdict: reference.Finished, Record: rec}, nil
}
