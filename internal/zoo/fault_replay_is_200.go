package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replayIs200 = Variant{
	Name:   "replay-is-200",
	What:   "a replay of 201 is answered 200",
	Caught: []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return replayedAs200{b, func(status int) bool { return status == 201 }}
	},
}

// replayedAs200 replays some statuses as 200.
type replayedAs200 struct {
	reference.Behaviour
	are func(status int) bool
}

func (r replayedAs200) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := r.Behaviour.Replay(ctx, s, call, rec)
	if r.are(a.Status) {
		a.Status = 200
	}
	return a
}
