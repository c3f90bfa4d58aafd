package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var runsAfterRace = Variant{
	Name:      "runs-after-race",
	What:      "the loser of a race deletes the record as it leaves, and the next retry runs again",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return deletesRecord{notesWaiting{b}, newDrops()} },
}

type deletesRecord struct {
	reference.Behaviour
	gone *drops
}

func (r deletesRecord) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if waited(call) { // it still sees what it waited for
		return r.Behaviour.Claim(ctx, s, call, ask)
	}
	return r.Behaviour.Claim(ctx, s, call, r.gone.rekey(ask))
}

func (r deletesRecord) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if waited(call) {
		r.gone.drop(recordID(s, call))
	}
	return r.Behaviour.Replay(ctx, s, call, rec)
}
