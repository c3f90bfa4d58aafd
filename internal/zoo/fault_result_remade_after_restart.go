package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var resultRemadeAfterRestart = Variant{
	Name:      "result-remade-after-restart",
	What:      "after a restart a replay is made anew from the request, with another id",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return remakesLater{b, newStart()} },
}

type remakesLater struct {
	reference.Behaviour
	start start
}

func (r remakesLater) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	return r.Behaviour.Claim(ctx, s, call, r.start.sign(ask))
}

func (r remakesLater) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if r.start.left(rec) {
		return reference.NewPayment(call, s.Now()).Answer().With(markerName, markerValue)
	}
	return r.Behaviour.Replay(ctx, s, call, rec)
}
