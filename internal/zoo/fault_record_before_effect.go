package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var recordBeforeEffect = Variant{
	Name:      "record-before-effect",
	What:      "the answer is recorded before its effect: killed in between, the retry gets a receipt for nothing",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return recordFirst{b} },
}

type recordFirst struct{ reference.Behaviour }

func (r recordFirst) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	later := reference.Change{Payment: c.Payment, Effect: c.Effect, Now: c.Now}
	c.Payment, c.Effect = nil, nil
	err := r.Behaviour.Commit(ctx, s, call, c)
	if err != nil || later.Effect == nil {
		return err
	}
	if err := s.Sleep(ctx, commitWindow); err != nil {
		return err
	}
	return s.Store().Commit(ctx, later)
}
