package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var markerMissing = Variant{
	Name:      "marker-missing",
	What:      "a replay does not carry the promised marker",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return unmarked{b} },
}

// unmarked replays the first answer and adds nothing.
type unmarked struct{ reference.Behaviour }

func (unmarked) Replay(_ context.Context, _ *reference.Service, _ *reference.Call, rec reference.Record) reference.Answer {
	return rec.Answer
}
