package zoo

import (
	"context"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var lockPerProcess = Variant{
	Name:      "lock-per-process",
	What:      "the lock is a mutex of each process: copies at different replicas run together",
	Caught:    []string{"replicas"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return locksAlone{b} },
}

type locksAlone struct{ reference.Behaviour }

// Claim lets copies at this replica queue, and looks at nothing but finished
// records of others.
func (l locksAlone) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, found, err := s.Store().Find(ctx, ask.ID())
	if err == nil && found && rec.State == reference.InProgress && !strings.HasPrefix(rec.Lease.Owner, s.Options().Instance+"/") {
		return aside(ctx, s, ask)
	}
	claim, err := l.Behaviour.Claim(ctx, s, call, ask)
	if err == nil && claim.Verdict == reference.Busy && !strings.HasPrefix(claim.Record.Lease.Owner, s.Options().Instance+"/") {
		return aside(ctx, s, ask)
	}
	return claim, err
}
