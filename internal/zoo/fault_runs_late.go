package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// lateness is longer than a check waits before it counts again (effects.settle):
// only a count at the end of the run sees such an effect.
const lateness = 900 * time.Millisecond

var runsLate = Variant{
	Name:      "runs-late",
	What:      "a duplicate is answered with the first answer, and has an effect of its own a moment later",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return queues{b} },
}

type queues struct{ reference.Behaviour }

func (r queues) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	go func() {
		if s.Sleep(ctx, lateness) == nil {
			runAgain(ctx, s, call)
		}
	}()
	return r.Behaviour.Replay(ctx, s, call, rec)
}
