package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var refusalHasTime = Variant{
	Name:      "refusal-has-time",
	What:      "a refusal says when it was made, so that no two are alike; it is stored",
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return datesRefusals{b} },
}

// datesRefusals adds to a refused payment's answer when it was refused.
type datesRefusals struct{ reference.Behaviour }

func (d datesRefusals) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := d.Behaviour.Execute(ctx, s, call, rec)
	if err == nil && out.Answer.Status == 402 {
		out.Answer = reference.Refuse(402, "declined", "the payment was declined at "+s.Now().UTC().Format(time.RFC3339Nano))
	}
	return out, err
}
