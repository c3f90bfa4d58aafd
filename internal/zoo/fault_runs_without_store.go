package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var runsWithoutStore = Variant{
	Name:      "runs-without-store",
	What:      "while the record store is away requests run unprotected",
	Caught:    []string{"store-down"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return runsOpen{b} },
}

type runsOpen struct{ reference.Behaviour }

func (f runsOpen) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := f.Behaviour.Claim(ctx, s, call, ask)
	if err != nil {
		return reference.Claim{Verdict: reference.Won}, nil
	}
	return claim, nil
}
