package zoo

import (
	"context"
	"errors"

	"github.com/idem-toolkit/idem/internal/reference"
)

var supersededOwnerAnswers = Variant{
	Name:      "superseded-owner-answers",
	What:      "an owner that lost its claim is kept from the effect, and answers what it would have made",
	Caught:    []string{"slow"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return superseded{unrenewed{b}, nil} },
}

// superseded tells an owner that lost its claim something else than that.
type superseded struct {
	reference.Behaviour
	told error // nil: that it has done its work
}

func (b superseded) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if err := b.Behaviour.Commit(ctx, s, call, c); !errors.Is(err, reference.ErrLost) {
		return err
	}
	return b.told
}
