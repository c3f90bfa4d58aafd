package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var retentionFromCompletion = Variant{
	Name:      "retention-from-completion",
	What:      "a key's retention counts from when its operation was finished, however long that took",
	Says:      func(s *Says) { s.Promise["retention"] = "{at_least: " + retention + ", at_most: 7s, from: completion}" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return fromCompletion{b} },
}

// fromCompletion claims keys with no retention of their own: the commit gives a
// record that is past its retention a whole one (Change.Extend), in the same
// transaction. Until then the lease alone keeps it.
type fromCompletion struct{ reference.Behaviour }

func (k fromCompletion) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Expires = ask.Now
	return k.Behaviour.Claim(ctx, s, call, ask)
}
