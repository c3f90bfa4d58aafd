package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var emptyReplayRunsAgain = Variant{
	Name:      "empty-replay-runs-again",
	What:      "a duplicate of what was answered without a body, such as a redirect, is answered with its replay and marker, while the handler runs again",
	Caught:    []string{"fidelity"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return nothingFound{b} },
}

type nothingFound struct{ reference.Behaviour }

func (b nothingFound) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if len(rec.Answer.Body) == 0 {
		runAgain(ctx, s, call)
	}
	return b.Behaviour.Replay(ctx, s, call, rec)
}
