package zoo

import (
	"context"
	"sync/atomic"

	"github.com/idem-toolkit/idem/internal/reference"
)

const (
	crowd       = 4 // how many may wait
	crowdedNote = "crowded"
)

var runsInACrowd = Variant{
	Name:      "runs-in-a-crowd",
	What:      "where more than four copies wait, the lock gives up and lets the others run",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return failsOpen{b, new(atomic.Int32)} },
}

type failsOpen struct {
	reference.Behaviour
	waiting *atomic.Int32
}

func (f failsOpen) Busy(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) *reference.Answer {
	defer f.waiting.Add(-1)
	if f.waiting.Add(1) > crowd {
		call.Notes[crowdedNote] = true
		return nil
	}
	return f.Behaviour.Busy(ctx, s, call, rec)
}

func (f failsOpen) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if call.Notes[crowdedNote] != nil {
		return aside(ctx, s, ask)
	}
	return f.Behaviour.Claim(ctx, s, call, ask)
}
