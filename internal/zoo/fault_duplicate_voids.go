package zoo

import (
	"context"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var duplicateVoids = Variant{
	Name:      "duplicate-voids",
	What:      "a duplicate cancels the operation that it repeats: it was answered as done, and no effect is left",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return voids{b, newNoted[bool]()} },
}

type voids struct {
	reference.Behaviour
	voided *noted[bool] // payments
}

func (v voids) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	for _, f := range rec.Answer.Header {
		if id, ok := strings.CutPrefix(f.Value, call.Path+"/"); ok && f.Name == "Location" {
			v.voided.set(id, true)
		}
	}
	return v.Behaviour.Replay(ctx, s, call, rec)
}

func (v voids) Effects(ctx context.Context, s *reference.Service, order string, limit int) ([]reference.Effect, error) {
	all, err := v.Behaviour.Effects(ctx, s, order, limit)
	left := all[:0:0]
	for _, e := range all {
		if _, gone := v.voided.get(e.PaymentID); !gone {
			left = append(left, e)
		}
	}
	return left, err
}
