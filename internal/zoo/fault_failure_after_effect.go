package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var failureAfterEffect = Variant{
	Name:      "failure-after-effect",
	What:      "the handler fails after its effect, and its key is free again",
	Caught:    []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return failsLate{b} },
}

type failsLate struct{ reference.Behaviour }

func (b failsLate) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := b.Behaviour.Execute(ctx, s, call, rec)
	if err == nil && out.Answer.Status >= 500 {
		p := reference.NewPayment(call, s.Now())
		out.Payment, out.Effect = &p, p.Effect()
	}
	return out, err
}
