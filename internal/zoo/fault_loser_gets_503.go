package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var loserGets503 = Variant{
	Name:      "loser-gets-503",
	What:      "the loser of a race meets the unique index, and is answered 503",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return shutsLoserOut{b} },
}

type shutsLoserOut struct{ reference.Behaviour }

func (shutsLoserOut) Busy(context.Context, *reference.Service, *reference.Call, reference.Record) *reference.Answer {
	a := reference.RefuseFor(503, "store-unavailable", "the key violates a unique constraint", 1)
	return &a
}
