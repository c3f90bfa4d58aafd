package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var hangUpLeavesClaim = Variant{
	Name:      "hang-up-leaves-claim",
	What:      "when the caller hangs up the claim is not finished: its key stays in flight",
	Caught:    []string{"disconnect"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return unfinishedFor{b} },
}

type unfinishedFor struct{ reference.Behaviour }

func (b unfinishedFor) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if !gone(call) {
		return b.Behaviour.Commit(ctx, s, call, c)
	}
	return effectAlone(ctx, s, c, true)
}
