package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var loserRunsToo = Variant{
	Name:      "loser-runs-too",
	What:      "every copy of a race runs; the unique index then keeps only one answer, and all copies get it",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return actsThenChecks{notesWaiting{b}} },
}

type actsThenChecks struct{ reference.Behaviour }

func (a actsThenChecks) Busy(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) *reference.Answer {
	if !waited(call) {
		runAgain(ctx, s, call)
	}
	return a.Behaviour.Busy(ctx, s, call, rec)
}
