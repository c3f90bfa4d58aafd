package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var retentionFromLastUse = Variant{
	Name:      "retention-from-last-use",
	What:      "every replay moves the end of a key's retention on, which is promised to count from the last use",
	Says:      func(s *Says) { s.Promise["retention"] = "{at_least: " + retention + ", at_most: 7s, from: last_use}" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return sliding{b} },
}

// sliding counts a record's retention anew with each replay. A replay whose
// record could not be kept longer is none: the promise would be broken.
type sliding struct{ reference.Behaviour }

func (k sliding) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if err := s.Store().Extend(ctx, rec.Lease.ID, s.Now().Add(s.Options().Retention)); err != nil {
		return reference.RefuseFor(503, "store-unavailable", "the store could not be reached", 1)
	}
	return k.Behaviour.Replay(ctx, s, call, rec)
}
