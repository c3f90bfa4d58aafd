package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var after412 = Variant{
	Name:      "after-412",
	What:      "a key past its retention is refused with 412, and never runs again",
	Says:      func(s *Says) { s.Promise["after_retention"] = "{status: [412]}" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return tombstones{b} },
}

// tombstones keeps expired records, to refuse their keys.
type tombstones struct{ reference.Behaviour }

const pastRetention = "past retention"

func (t tombstones) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, found, err := s.Store().Find(ctx, ask.ID())
	if err != nil {
		return reference.Claim{}, err
	}
	if found && rec.State != reference.InProgress && !rec.Expires.After(ask.Now) {
		call.Notes[pastRetention] = true
		return reference.Claim{Verdict: reference.Finished, Record: rec}, nil
	}
	return t.Behaviour.Claim(ctx, s, call, ask)
}

func (t tombstones) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if call.Notes[pastRetention] != nil {
		return reference.Refuse(412, "key-expired", "the key was used longer ago than keys are kept")
	}
	return t.Behaviour.Replay(ctx, s, call, rec)
}

func (tombstones) Sweep(context.Context, *reference.Service) (int, error) { return 0, nil }
