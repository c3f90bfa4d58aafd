package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var after412 = Variant{
	Name: "after-412",
	What: "a key past its retention is refused with 412, and never runs again",
	Says: func(s *Says) { s.Promise["after_retention"] = "{status: [412]}" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return tombstones{unswept{b}, reference.Refuse(412, "key-expired", "the key was used longer ago than keys are kept")}
	},
}

// tombstones refuses the keys of expired records.
type tombstones struct {
	reference.Behaviour
	answer reference.Answer
}

const pastRetention = "past retention"

func (t tombstones) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, past, err := over(ctx, s, ask)
	if err != nil {
		return reference.Claim{}, err
	}
	if past {
		call.Notes[pastRetention] = true
		return reference.Claim{Verdict: reference.Finished, Record: rec}, nil
	}
	return t.Behaviour.Claim(ctx, s, call, ask)
}

func (t tombstones) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if call.Notes[pastRetention] != nil {
		return t.answer
	}
	return t.Behaviour.Replay(ctx, s, call, rec)
}
