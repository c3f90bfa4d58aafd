package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var largeReplaysCut = Variant{
	Name:      "large-replays-cut",
	What:      "a stored answer is cut at 64 KiB",
	Caught:    []string{"fidelity"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return cutAt64K{b} },
}

type cutAt64K struct{ reference.Behaviour }

func (b cutAt64K) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := b.Behaviour.Replay(ctx, s, call, rec)
	a.Body = a.Body[:min(len(a.Body), 64<<10)]
	return a
}
