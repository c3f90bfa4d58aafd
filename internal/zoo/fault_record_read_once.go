package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var recordReadOnce = Variant{
	Name:      "record-read-once",
	What:      "the first duplicate takes the record away with it, and the next one runs again",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return takesRecord{b, newDrops()} },
}

type takesRecord struct {
	reference.Behaviour
	gone *drops
}

func (r takesRecord) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	return r.Behaviour.Claim(ctx, s, call, r.gone.rekey(ask))
}

func (r takesRecord) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	r.gone.drop(recordID(s, call))
	return r.Behaviour.Replay(ctx, s, call, rec)
}
