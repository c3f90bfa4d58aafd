package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var loserGets500 = Variant{
	Name:      "loser-gets-500",
	What:      "the loser of a race meets the unique index, and is answered 500",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return failsLoser{b} },
}

type failsLoser struct{ reference.Behaviour }

func (failsLoser) Busy(context.Context, *reference.Service, *reference.Call, reference.Record) *reference.Answer {
	a := reference.Refuse(500, "handler-failed", "the key violates a unique constraint")
	return &a
}
