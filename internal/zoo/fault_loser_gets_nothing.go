package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var loserGetsNothing = Variant{
	Name:      "loser-gets-nothing",
	What:      "the loser of a race is answered 200 with the empty result of what is not done yet",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return answersUndone{b} },
}

type answersUndone struct{ reference.Behaviour }

func (answersUndone) Busy(context.Context, *reference.Service, *reference.Call, reference.Record) *reference.Answer {
	return &reference.Answer{Status: 200, Header: []reference.Field{{Name: "Content-Type", Value: "application/json"}}, Body: []byte("{}")}
}
