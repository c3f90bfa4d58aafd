package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var redirectsReplayedAs200 = Variant{
	Name:      "redirects-replayed-as-200",
	What:      "a redirect is replayed as 200",
	Caught:    []string{"fidelity"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return stays{b} },
}

type stays struct{ reference.Behaviour }

func (b stays) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := b.Behaviour.Replay(ctx, s, call, rec)
	if a.Status/100 == 3 {
		a.Status = 200
	}
	return a
}
