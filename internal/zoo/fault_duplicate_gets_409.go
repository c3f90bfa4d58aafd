package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var duplicateGets409 = Variant{
	Name:      "duplicate-gets-409",
	What:      "the duplicate is refused where the first answer is promised",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return refusesDuplicate{b} },
}

type refusesDuplicate struct{ reference.Behaviour }

func (refusesDuplicate) Replay(context.Context, *reference.Service, *reference.Call, reference.Record) reference.Answer {
	return reference.Refuse(409, "key-conflict", "a request with this key was made already")
}
