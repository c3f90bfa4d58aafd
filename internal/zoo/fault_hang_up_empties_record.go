package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var hangUpEmptiesRecord = Variant{
	Name:      "hang-up-empties-record",
	What:      "when the caller hangs up the result is recorded without its body",
	Caught:    []string{"disconnect"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return emptied{b} },
}

type emptied struct{ reference.Behaviour }

func (b emptied) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if gone(call) && c.Answer != nil {
		c.Answer = &reference.Answer{Status: c.Answer.Status, Header: c.Answer.Header}
	}
	return b.Behaviour.Commit(ctx, s, call, c)
}
