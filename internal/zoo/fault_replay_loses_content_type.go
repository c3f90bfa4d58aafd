package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replayLosesContentType = Variant{
	Name:      "replay-loses-content-type",
	What:      "a replay has the first body and not its Content-Type",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return loses{b, "Content-Type"} },
}

// loses has replays without a header field.
type loses struct {
	reference.Behaviour
	field string
}

func (l loses) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	return without(l.Behaviour.Replay(ctx, s, call, rec), l.field)
}
