package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var busyBeforeConflict = Variant{
	Name:      "busy-before-conflict",
	What:      "while a key is worked on, another body gets the in-flight answer, and the conflict only afterwards",
	Says:      func(s *Says) { s.Promise["in_flight"] = "{status: [409]}" },
	Options:   func(o *reference.Options) { o.InFlight = "reject" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return busyFirst{b} },
}

type busyFirst struct{ reference.Behaviour }

func (b busyFirst) Conflict(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if rec.State == reference.InProgress {
		if a := b.Busy(ctx, s, call, rec); a != nil {
			return *a
		}
	}
	return b.Behaviour.Conflict(ctx, s, call, rec)
}
