package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replayIsEmpty = Variant{
	Name:      "replay-is-empty",
	What:      "a replay has the first status and no body",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return losesBody{b} },
}

type losesBody struct{ reference.Behaviour }

func (l losesBody) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := l.Behaviour.Replay(ctx, s, call, rec)
	a.Body = nil
	return a
}
