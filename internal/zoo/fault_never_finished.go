package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var neverFinished = Variant{
	Name:   "never-finished",
	What:   "the key is never marked as finished: every duplicate is told that the first is still running",
	Caught: []string{"duplicate"},
	Says: func(s *Says) {
		s.Promise["in_flight"] = "{status: [409], wait: true}"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return unfinished{b} },
}

type unfinished struct{ reference.Behaviour }

func (unfinished) Replay(context.Context, *reference.Service, *reference.Call, reference.Record) reference.Answer {
	return reference.RefuseFor(409, "in-flight", "the first request with this key is still being worked on", 1)
}
