package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var conflictGets400 = Variant{
	Name:   "conflict-gets-400",
	What:   "a conflict is answered with another status than the promised one",
	Caught: []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return conflictGets{b, reference.Refuse(400, "key-conflict", "the key was used for another request")}
	},
}

// conflictGets has one answer for the key of another request.
type conflictGets struct {
	reference.Behaviour
	answer reference.Answer
}

func (c conflictGets) Conflict(context.Context, *reference.Service, *reference.Call, reference.Record) reference.Answer {
	return c.answer
}
