package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

func countsAtMostOne() Variant {
	return Variant{
		Name:       "counts-at-most-one",
		What:       "the list of effects shows the last one of an order only: it tells whether there is one, never how many",
		Unknowable: everyStep("the counter does not count every effect"),
		Behaviour:  func(b reference.Behaviour) reference.Behaviour { return showsLast{b} },
	}
}

type showsLast struct{ reference.Behaviour }

func (l showsLast) Effects(ctx context.Context, s *reference.Service, order string, limit int) ([]reference.Effect, error) {
	effects, err := l.Behaviour.Effects(ctx, s, order, limit)
	if len(effects) > 1 {
		effects = effects[len(effects)-1:]
	}
	return effects, err
}
