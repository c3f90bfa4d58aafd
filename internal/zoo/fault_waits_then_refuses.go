package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var waitsThenRefuses = Variant{
	Name:      "waits-then-refuses",
	What:      "the loser of a race waits for the first, and is then refused like another request",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return mistakes{notesWaiting{b}} },
}

type mistakes struct{ reference.Behaviour }

func (w mistakes) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if waited(call) {
		return s.Behaviour().Conflict(ctx, s, call, rec)
	}
	return w.Behaviour.Replay(ctx, s, call, rec)
}
