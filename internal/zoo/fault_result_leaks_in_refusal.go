package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var resultLeaksInRefusal = Variant{
	Name:      "result-leaks-in-refusal",
	What:      "another caller's key is refused with a link to what the first caller made",
	Caught:    []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return pointsAtTheFirst{printsCaller{anyCaller{b}}} },
}

type pointsAtTheFirst struct{ reference.Behaviour }

func (p pointsAtTheFirst) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := p.Behaviour.Conflict(ctx, s, call, rec)
	if where := location(rec.Answer); where != "" {
		a = a.With("Location", where)
	}
	return a
}
