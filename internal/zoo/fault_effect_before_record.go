package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// commitWindow is how far two commits are apart that should be one.
const commitWindow = 5 * time.Millisecond

var effectBeforeRecord = Variant{
	Name:      "effect-before-record",
	What:      "the effect is committed before its record: killed in between, the retry has a second one",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return effectFirst{b} },
}

type effectFirst struct{ reference.Behaviour }

func (e effectFirst) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if c.Effect != nil {
		if err := s.Store().Commit(ctx, reference.Change{Payment: c.Payment, Effect: c.Effect, Now: c.Now}); err != nil {
			return err
		}
		c.Payment, c.Effect = nil, nil
		if err := s.Sleep(ctx, commitWindow); err != nil {
			return err
		}
	}
	return e.Behaviour.Commit(ctx, s, call, c)
}
