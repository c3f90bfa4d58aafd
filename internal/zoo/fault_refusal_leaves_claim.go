package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var refusalLeavesClaim = Variant{
	Name:      "refusal-leaves-claim",
	What:      "a refusal of the handler leaves its claim: the key stays in flight",
	Caught:    []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return refusedClaimed{b} },
}

type refusedClaimed struct{ reference.Behaviour }

func (b refusedClaimed) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if c.Answer != nil && c.Answer.Status/100 == 4 {
		return effectAlone(ctx, s, c, true)
	}
	return b.Behaviour.Commit(ctx, s, call, c)
}
