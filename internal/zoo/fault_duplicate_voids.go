package zoo

import (
	"context"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var duplicateVoids = Variant{
	Name:      "duplicate-voids",
	What:      "a duplicate cancels the operation that it repeats: it was answered as done, and no effect is left",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return voids{b} },
}

// voids keeps what was cancelled in the store, as records that no caller's key
// can reach: the money stays away after a restart too.
type voids struct{ reference.Behaviour }

func voided(payment string) reference.Ask {
	return reference.Ask{Scope: reference.Scope{Method: "voided"}, Key: payment}
}

func (v voids) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if id, made := strings.CutPrefix(location(rec.Answer), call.Path+"/"); made {
		ask := voided(id)
		ask.Now, ask.Expires = s.Now(), s.Now().AddDate(100, 0, 0)
		ask.LeaseUntil = ask.Expires
		_, _, _ = s.Store().Claim(ctx, ask)
	}
	return v.Behaviour.Replay(ctx, s, call, rec)
}

func (v voids) Effects(ctx context.Context, s *reference.Service, order string, limit int) ([]reference.Effect, error) {
	all, err := v.Behaviour.Effects(ctx, s, order, limit)
	left := all[:0:0]
	for _, e := range all {
		if _, gone, _ := s.Store().Find(ctx, voided(e.PaymentID).ID()); !gone {
			left = append(left, e)
		}
	}
	return left, err
}
