package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var redirectLeadsNowhere = Variant{
	Name:      "redirect-leads-nowhere",
	What:      "the replay of a redirect has lost its Location",
	Caught:    []string{"fidelity"},
	Says:      func(s *Says) { s.Promise["same_headers"] = "[Content-Type]" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return nowhere{b} },
}

type nowhere struct{ reference.Behaviour }

func (b nowhere) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := b.Behaviour.Replay(ctx, s, call, rec)
	if a.Status/100 == 3 {
		a = without(a, "Location")
	}
	return a
}
