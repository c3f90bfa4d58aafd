package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var conflictGets500 = Variant{
	Name:      "conflict-gets-500",
	What:      "a conflict is answered 500",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return failsConflict{b} },
}

type failsConflict struct{ reference.Behaviour }

func (failsConflict) Conflict(context.Context, *reference.Service, *reference.Call, reference.Record) reference.Answer {
	return reference.Refuse(500, "handler-failed", "the key was used for another request")
}
