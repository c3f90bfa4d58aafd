package zoo

import (
	"context"
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

var panicLeavesClaim = Variant{
	Name:      "panic-leaves-claim",
	What:      "a handler that panics ends its caller's connection and leaves its claim: the key gets 409 for as long as keys are kept",
	Caught:    []string{"outcome"},
	Says:      func(s *Says) { s.Promise["in_flight"] = "{status: [409]}" },
	Options:   func(o *reference.Options) { o.InFlight = "reject" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return unwound{b} },
}

type unwound struct{ reference.Behaviour }

func (b unwound) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if c.Answer != nil && c.Answer.Status == http.StatusInternalServerError {
		call.Notes["panicked"] = true
		return effectAlone(ctx, s, c, true)
	}
	return b.Behaviour.Commit(ctx, s, call, c)
}

func (b unwound) Deliver(w http.ResponseWriter, s *reference.Service, call *reference.Call, a reference.Answer) {
	if call.Notes["panicked"] != nil {
		panic(http.ErrAbortHandler)
	}
	b.Behaviour.Deliver(w, s, call, a)
}
