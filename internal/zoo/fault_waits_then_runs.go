package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var waitsThenRuns = Variant{
	Name:      "waits-then-runs",
	What:      "the loser of a race waits for the lock and runs when it has it, without another look at the key",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return locksOnly{notesWaiting{b}} },
}

type locksOnly struct{ reference.Behaviour }

func (w locksOnly) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if waited(call) {
		return aside(ctx, s, ask)
	}
	return w.Behaviour.Claim(ctx, s, call, ask)
}
