package zoo

import (
	"context"
	"encoding/json"

	"github.com/idem-toolkit/idem/internal/reference"
)

var idsFromOrder = Variant{
	Name: "ids-from-order",
	What: "a charge's id is made of the client's own order id, so that two charges of one order have the same",
	Says: func(s *Says) { s.Promise["same_headers"] = "[Content-Type]" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return shows{b, func(call *reference.Call, doc map[string]any) {
			doc["id"] = "ch_" + sum(call.Kind, call.Caller, call.Operation.OrderID)[:24]
		}}
	},
}

// shows changes what a new payment's answer shows, and leads to no place.
type shows struct {
	reference.Behaviour
	change func(*reference.Call, map[string]any)
}

func (b shows) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := b.Behaviour.Execute(ctx, s, call, rec)
	var doc map[string]any
	if err != nil || out.Answer.Status != 201 || json.Unmarshal(out.Answer.Body, &doc) != nil {
		return out, err
	}
	b.change(call, doc)
	out.Answer = without(out.Answer, "Location")
	out.Answer.Body, err = json.Marshal(doc)
	return out, err
}
