package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var refusalReplayedAs200 = Variant{
	Name:      "refusal-replayed-as-200",
	What:      "a stored refusal is replayed as 200",
	Caught:    []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return mildReplays{b} },
}

type mildReplays struct{ reference.Behaviour }

func (b mildReplays) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := b.Behaviour.Replay(ctx, s, call, rec)
	if a.Status >= 400 {
		a.Status = 200
	}
	return a
}
