package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replayHasNewId = Variant{
	Name:      "replay-has-new-id",
	What:      "a replay is made anew from the request, with another id",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return remakes{b} },
}

type remakes struct{ reference.Behaviour }

func (remakes) Replay(_ context.Context, s *reference.Service, call *reference.Call, _ reference.Record) reference.Answer {
	return reference.NewPayment(call, s.Now()).Answer().With(markerName, markerValue)
}
