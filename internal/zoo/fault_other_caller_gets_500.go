package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var otherCallerGets500 = Variant{
	Name:      "other-caller-gets-500",
	What:      "the unique index is on the key alone: another caller's request with it meets an error",
	Caught:    []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return indexOnKey{b, newNoted[string]()} },
}

type indexOnKey struct {
	reference.Behaviour
	owners *noted[string]
}

func (i indexOnKey) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if owner, known := i.owners.get(call.Path + " " + call.Key); known && owner != call.Caller {
		return reference.Claim{Verdict: reference.Mismatch}, nil
	}
	i.owners.set(call.Path+" "+call.Key, call.Caller)
	return i.Behaviour.Claim(ctx, s, call, ask)
}

func (i indexOnKey) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if owner, _ := i.owners.get(call.Path + " " + call.Key); owner != call.Caller {
		return reference.Refuse(500, "handler-failed", "duplicate key value violates unique constraint")
	}
	return i.Behaviour.Conflict(ctx, s, call, rec)
}
