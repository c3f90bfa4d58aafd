package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var loserGets500 = Variant{
	Name:   "loser-gets-500",
	What:   "the loser of a race meets the unique index, and is answered 500",
	Caught: []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return loserGets{b, reference.Refuse(500, "handler-failed", "the key violates a unique constraint")}
	},
}

// loserGets has one answer for what is in flight.
type loserGets struct {
	reference.Behaviour
	answer reference.Answer
}

func (l loserGets) Busy(context.Context, *reference.Service, *reference.Call, reference.Record) *reference.Answer {
	return &l.answer
}
