package zoo

import (
	"context"
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

var emptyThenCurrent = Variant{
	Name: "empty-then-current",
	What: "the first request is answered 204 without a body, and a duplicate 200 with the resource as it is now",
	Says: func(s *Says) {
		s.Promise["duplicate"] = "current"
		delete(s.Promise, "marker")
		delete(s.Promise, "compare")
		delete(s.Promise, "same_headers")
		s.Request["variants"] = `{redirect: {body: {order_id: "o-1", amount: 1999, currency: EUR, answer: redirect}}, ` +
			`empty: {body: {order_id: "o-1", amount: 1999, currency: EUR, answer: minimal}}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return saysLittle{b} },
}

type saysLittle struct{ reference.Behaviour }

// Deliver sends a payment's first answer without the resource that is stored.
func (b saysLittle) Deliver(w http.ResponseWriter, s *reference.Service, call *reference.Call, a reference.Answer) {
	if a.Status == http.StatusCreated {
		a = without(reference.Answer{Status: http.StatusNoContent, Header: a.Header}, "Content-Type")
	}
	b.Behaviour.Deliver(w, s, call, a)
}

func (saysLittle) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	return settles{}.Replay(ctx, s, call, rec)
}
