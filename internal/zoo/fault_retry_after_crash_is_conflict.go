package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var retryAfterCrashIsConflict = Variant{
	Name:      "retry-after-crash-is-conflict",
	What:      "the fingerprint is recorded with the answer only: after a crash the retry is refused as another request",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return printedLate{b, newStart()} },
}

type printedLate struct {
	reference.Behaviour
	start start
}

func (p printedLate) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, orphan, err := p.start.orphan(ctx, s, ask)
	if err != nil || !orphan {
		return p.Behaviour.Claim(ctx, s, call, p.start.sign(ask))
	}
	return reference.Claim{Verdict: reference.Mismatch, Record: rec}, nil
}
