package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var failureLeavesClaim = Variant{
	Name:      "failure-leaves-claim",
	What:      "a failure of the handler leaves its claim: the key stays in flight",
	Caught:    []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return leftClaimed{b, 5} },
}

// leftClaimed does not finish what is answered with one class of statuses.
type leftClaimed struct {
	reference.Behaviour
	class int // 4: 4xx
}

func (b leftClaimed) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if c.Answer != nil && c.Answer.Status/100 == b.class {
		return effectAlone(ctx, s, c, true)
	}
	return b.Behaviour.Commit(ctx, s, call, c)
}
