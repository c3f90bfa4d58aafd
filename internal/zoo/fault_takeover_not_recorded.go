package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var takeoverNotRecorded = Variant{
	Name:      "takeover-not-recorded",
	What:      "the retry after a crash runs, and its result is not recorded: the next one runs again",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return forgetsTakeover{b, newStart()} },
}

type forgetsTakeover struct {
	reference.Behaviour
	start start
}

func (f forgetsTakeover) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, orphan, err := f.start.orphan(ctx, s, ask)
	if err != nil || !orphan || !rec.Claimable(ask) {
		return f.Behaviour.Claim(ctx, s, call, f.start.sign(ask))
	}
	return aside(ctx, s, ask)
}
