package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var largeReplayClaimsGzip = Variant{
	Name:      "large-replay-claims-gzip",
	What:      "the replay of a large answer says that it is compressed, and is not",
	Caught:    []string{"fidelity"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return claimsGzip{b} },
}

type claimsGzip struct{ reference.Behaviour }

func (b claimsGzip) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := b.Behaviour.Replay(ctx, s, call, rec)
	if len(a.Body) > 64<<10 {
		a = a.With("Content-Encoding", "gzip")
	}
	return a
}
