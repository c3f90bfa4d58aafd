package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var conflictReplacesRecord = Variant{
	Name:      "conflict-replaces-record",
	What:      "a conflict is refused and takes the record over: the original, sent again, is the conflict now",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return replacesRecord{b, newNoted[string]()} },
}

type replacesRecord struct {
	reference.Behaviour
	prints *noted[string] // of the last request of a key
}

func (r replacesRecord) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	r.prints.set(recordID(s, call), call.Fingerprint)
	return r.Behaviour.Conflict(ctx, s, call, rec)
}

func (r replacesRecord) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, found, err := s.Store().Find(ctx, ask.ID())
	if err != nil {
		return reference.Claim{}, err
	}
	if now, replaced := r.prints.get(ask.ID()); replaced && found && !rec.Claimable(ask) {
		if now != ask.Fingerprint {
			return reference.Claim{Verdict: reference.Mismatch, Record: rec}, nil
		}
		ask.Fingerprint = rec.Fingerprint
	}
	return r.Behaviour.Claim(ctx, s, call, ask)
}
