package zoo

import (
	"context"
	"errors"
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

var supersededGets409 = Variant{
	Name:      "superseded-gets-409",
	What:      "an owner keeps its claim for a second: then a duplicate takes over and finishes, and the old owner's caller is told so with 409",
	Says:      func(s *Says) { s.Promise["owner_max"] = lease },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return takenOver{unrenewed{b}, 409} },
}

// takenOver lets a duplicate take over what an owner works on for longer than
// the lease. The fence keeps the old owner from any effect.
type takenOver struct {
	reference.Behaviour
	status int // of the old owner's answer
}

const supersededNote = "superseded"

// Execute of who takes over goes on where the first one was.
func (b takenOver) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	if rec.Lease.Generation > 1 {
		call.Operation.Work = 0
	}
	return b.Behaviour.Execute(ctx, s, call, rec)
}

func (b takenOver) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	err := b.Behaviour.Commit(ctx, s, call, c)
	if errors.Is(err, reference.ErrLost) {
		call.Notes[supersededNote] = true
		return errors.New("another attempt took the operation over")
	}
	return err
}

func (b takenOver) Deliver(w http.ResponseWriter, s *reference.Service, call *reference.Call, a reference.Answer) {
	if call.Notes[supersededNote] != nil {
		a = reference.Refuse(b.status, "superseded", "another attempt took the operation over: send the request again")
	}
	b.Behaviour.Deliver(w, s, call, a)
}
