package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replayLosesLocation = Variant{
	Name:      "replay-loses-location",
	What:      "a replay has lost the Location of the first answer",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return losesLocation{b} },
}

type losesLocation struct{ reference.Behaviour }

func (l losesLocation) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	return without(l.Behaviour.Replay(ctx, s, call, rec), "Location")
}
