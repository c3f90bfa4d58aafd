package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var duplicateGets409 = Variant{
	Name:   "duplicate-gets-409",
	What:   "the duplicate is refused where the first answer is promised",
	Caught: []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return duplicateGets{b, reference.Refuse(409, "key-conflict", "a request with this key was made already")}
	},
}

// duplicateGets has one answer for what is finished.
type duplicateGets struct {
	reference.Behaviour
	answer reference.Answer
}

func (d duplicateGets) Replay(context.Context, *reference.Service, *reference.Call, reference.Record) reference.Answer {
	return d.answer
}
