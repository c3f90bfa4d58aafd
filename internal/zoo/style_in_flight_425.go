package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var inFlight425 = Variant{
	Name:      "in-flight-425",
	What:      "a duplicate that comes while the first is worked on is refused with 425 (Too Early)",
	Says:      func(s *Says) { s.Promise["in_flight"] = "{status: [425]}" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return busyAnswer{b, 425} },
}

// busyAnswer refuses what is in flight with a status of its own.
type busyAnswer struct {
	reference.Behaviour
	status int
}

func (b busyAnswer) Busy(context.Context, *reference.Service, *reference.Call, reference.Record) *reference.Answer {
	a := reference.RefuseFor(b.status, "in-flight", "the first request with this key is still being worked on", 1)
	return &a
}
