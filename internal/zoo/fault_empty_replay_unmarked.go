package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var emptyReplayUnmarked = Variant{
	Name:      "empty-replay-unmarked",
	What:      "the replay of an answer without a body does not carry the marker",
	Caught:    []string{"fidelity"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return unmarkedEmpty{b} },
}

type unmarkedEmpty struct{ reference.Behaviour }

func (b unmarkedEmpty) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if len(rec.Answer.Body) == 0 {
		return rec.Answer
	}
	return b.Behaviour.Replay(ctx, s, call, rec)
}
