package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var hangUpIsRecorded = Variant{
	Name:      "hang-up-is-recorded",
	What:      "when the caller hangs up 499 is recorded as the result of what was made",
	Caught:    []string{"disconnect"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return nobodyListens{b} },
}

type nobodyListens struct{ reference.Behaviour }

func (b nobodyListens) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if gone(call) && c.Effect != nil {
		a := reference.Refuse(499, "gone", "the caller has gone")
		c.Answer = &a
	}
	return b.Behaviour.Commit(ctx, s, call, c)
}
