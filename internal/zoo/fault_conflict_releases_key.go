package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var conflictReleasesKey = Variant{
	Name:      "conflict-releases-key",
	What:      "a conflict is refused and deletes the record: the original, sent again, runs again",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return releasesKey{b, newDrops()} },
}

type releasesKey struct {
	reference.Behaviour
	gone *drops
}

func (r releasesKey) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	return r.Behaviour.Claim(ctx, s, call, r.gone.rekey(ask))
}

func (r releasesKey) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	r.gone.drop(recordID(s, call))
	return r.Behaviour.Conflict(ctx, s, call, rec)
}
