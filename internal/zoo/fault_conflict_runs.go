package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var conflictRuns = Variant{
	Name:      "conflict-runs",
	What:      "a changed body is refused as a conflict, after it ran",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return runsConflict{b} },
}

type runsConflict struct{ reference.Behaviour }

func (r runsConflict) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	runAgain(ctx, s, call)
	return r.Behaviour.Conflict(ctx, s, call, rec)
}
