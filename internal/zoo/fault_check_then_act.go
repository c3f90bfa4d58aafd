package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// checkWindow is how far the check and the act are apart.
const checkWindow = 5 * time.Millisecond

var checkThenAct = Variant{
	Name:      "check-then-act",
	What:      "the key is looked up and then inserted, and what another inserted in between is not heeded",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return checksThenActs{b} },
}

type checksThenActs struct{ reference.Behaviour }

func (c checksThenActs) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, found, err := s.Store().Find(ctx, ask.ID())
	if err != nil || found && !rec.Claimable(ask) {
		return c.Behaviour.Claim(ctx, s, call, ask)
	}
	if err := s.Sleep(ctx, checkWindow); err != nil {
		return reference.Claim{}, err
	}
	return orAside(ctx, c.Behaviour, s, call, ask)
}
