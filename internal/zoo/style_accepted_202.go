package zoo

import (
	"context"
	"net/http"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var accepted202 = Variant{
	Name:      "accepted-202",
	What:      "the answer is 202, and the money moves a little later",
	Says:      func(s *Says) { s.Effects["settle"] = "1s" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return later{b} },
}

// effectDelay is how long an effect stays unseen after its answer: within the
// contract's appears_within.
const effectDelay = 400 * time.Millisecond

// later answers 202 and lets the counter see effects late: what a queue behind
// the service does.
type later struct{ reference.Behaviour }

func (l later) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := l.Behaviour.Execute(ctx, s, call, rec)
	if out.Answer.Status == http.StatusCreated {
		out.Answer.Status = http.StatusAccepted
	}
	return out, err
}

func (l later) Effects(ctx context.Context, s *reference.Service, order string, limit int) ([]reference.Effect, error) {
	all, err := l.Behaviour.Effects(ctx, s, order, limit)
	seen := all[:0:0]
	for _, e := range all {
		if s.Now().Sub(e.Created) >= effectDelay {
			seen = append(seen, e)
		}
	}
	return seen, err
}
