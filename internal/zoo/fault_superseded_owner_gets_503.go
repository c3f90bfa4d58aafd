package zoo

import (
	"context"
	"errors"

	"github.com/idem-toolkit/idem/internal/reference"
)

var supersededOwnerGets503 = Variant{
	Name:      "superseded-owner-gets-503",
	What:      "an owner that lost its claim answers its caller 503, though the operation is made",
	Caught:    []string{"slow"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return overtaken{b} },
}

type overtaken struct{ reference.Behaviour }

func (overtaken) Renew(context.Context, *reference.Service, reference.Lease) error { return nil }

func (b overtaken) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if err := b.Behaviour.Commit(ctx, s, call, c); !errors.Is(err, reference.ErrLost) {
		return err
	}
	return errors.New("the lock had timed out")
}
