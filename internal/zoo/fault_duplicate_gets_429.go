package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var duplicateGets429 = Variant{
	Name:      "duplicate-gets-429",
	What:      "retries of a key are limited like an attack: the duplicate is told to slow down for ever",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return limitsDuplicates{b} },
}

type limitsDuplicates struct{ reference.Behaviour }

func (limitsDuplicates) Replay(context.Context, *reference.Service, *reference.Call, reference.Record) reference.Answer {
	return reference.RefuseFor(429, "overloaded", "too many requests with this key", 1)
}
