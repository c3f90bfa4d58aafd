package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var redirectReplayedElsewhere = Variant{
	Name:      "redirect-replayed-elsewhere",
	What:      "the replay of a redirect leads to another place",
	Caught:    []string{"fidelity"},
	Says:      func(s *Says) { s.Promise["same_headers"] = "[Content-Type]" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return elsewhere{b} },
}

type elsewhere struct{ reference.Behaviour }

func (b elsewhere) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := b.Behaviour.Replay(ctx, s, call, rec)
	if a.Status/100 == 3 {
		a = without(a, "Location").With("Location", call.Path+"/latest")
	}
	return a
}
