package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var refusalHidesConflict = Variant{
	Name:      "refusal-hides-conflict",
	What:      "a stored refusal is given to whatever body comes under its key, where a conflict is promised",
	Caught:    []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return hidesConflict{b} },
}

type hidesConflict struct{ reference.Behaviour }

func (h hidesConflict) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if rec.State != reference.InProgress && rec.Answer.Status >= 400 {
		return h.Replay(ctx, s, call, rec)
	}
	return h.Behaviour.Conflict(ctx, s, call, rec)
}
