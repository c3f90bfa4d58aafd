package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var hangUpLosesRecord = Variant{
	Name:      "hang-up-loses-record",
	What:      "when the caller hangs up the record is not written, and the effect is",
	Caught:    []string{"disconnect"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return recordless{b} },
}

type recordless struct{ reference.Behaviour }

func (b recordless) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if !gone(call) {
		return b.Behaviour.Commit(ctx, s, call, c)
	}
	if err := effectAlone(ctx, s, c, false); err != nil {
		return err
	}
	return b.Behaviour.Release(ctx, s, c.Lease)
}
