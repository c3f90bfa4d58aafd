package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var stuckAfterRace = Variant{
	Name:   "stuck-after-race",
	What:   "a key that was raced for stays in flight for ever: the loser writes its state over the finished one",
	Caught: []string{"concurrent"},
	Says: func(s *Says) {
		s.Promise["in_flight"] = "{status: [409], wait: true}"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return staysBusy{notesWaiting{b}, newNoted[bool]()} },
}

type staysBusy struct {
	reference.Behaviour
	raced *noted[bool]
}

func (k staysBusy) Busy(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) *reference.Answer {
	if rec.State != reference.InProgress {
		a := inFlight(409)
		return &a
	}
	k.raced.set(recordID(s, call), true)
	return k.Behaviour.Busy(ctx, s, call, rec)
}

func (k staysBusy) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := k.Behaviour.Claim(ctx, s, call, ask)
	if _, raced := k.raced.get(ask.ID()); raced && claim.Verdict == reference.Finished && !waited(call) {
		claim.Verdict = reference.Busy
	}
	return claim, err
}
