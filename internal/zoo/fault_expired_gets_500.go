package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var expiredGets500 = Variant{
	Name:      "expired-gets-500",
	What:      "an expired key is found and its answer is not: 500, where it is promised to be free",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return failsExpired{unswept{b}} },
}

type failsExpired struct{ reference.Behaviour }

func (f failsExpired) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, past, err := over(ctx, s, ask)
	if err != nil || !past {
		return f.Behaviour.Claim(ctx, s, call, ask)
	}
	return reference.Claim{Verdict: reference.Finished, Record: rec}, nil
}

func (f failsExpired) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if !rec.Expires.After(s.Now()) {
		return reference.Refuse(500, "handler-failed", "the key has no answer")
	}
	return f.Behaviour.Replay(ctx, s, call, rec)
}
