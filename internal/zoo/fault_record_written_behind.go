package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

const writeBehind = 200 * time.Millisecond

var recordWrittenBehind = Variant{
	Name:      "record-written-behind",
	What:      "the record is written a fifth of a second after the answer: killed in between, the retry runs again",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return writesBehind{b} },
}

type writesBehind struct{ reference.Behaviour }

func (w writesBehind) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if c.Effect == nil {
		return w.Behaviour.Commit(ctx, s, call, c)
	}
	err := s.Store().Commit(ctx, reference.Change{Payment: c.Payment, Effect: c.Effect, Now: c.Now})
	if err != nil {
		return err
	}
	c.Payment, c.Effect = nil, nil
	go func() {
		if s.Sleep(ctx, writeBehind) == nil {
			_ = w.Behaviour.Commit(ctx, s, call, c)
		}
	}()
	return nil
}
