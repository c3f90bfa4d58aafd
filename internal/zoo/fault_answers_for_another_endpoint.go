package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var answersForAnotherEndpoint = Variant{
	Name:      "answers-for-another-endpoint",
	What:      "another endpoint with a known key answers with a success of its own and does nothing",
	Caught:    []string{"binding"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return answersOnly{b, newNoted[string]()} },
}

type answersOnly struct {
	reference.Behaviour
	first *noted[string]
}

func (a answersOnly) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := a.Behaviour.Execute(ctx, s, call, rec)
	kind, known := a.first.get(call.Caller + " " + call.Key)
	if !known {
		a.first.set(call.Caller+" "+call.Key, call.Kind)
	} else if kind != call.Kind {
		out.Effect = nil
	}
	return out, err
}
