package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

func refusesWith409() Variant {
	return Variant{
		Name: "refuses-with-409",
		What: "409 means refused by the business and in flight alike, and a refusal is stored",
		Says: func(s *Says) {
			s.Promise["in_flight"] = "{status: [409]}"
			s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "409": replay, "4xx": any, "5xx": release}`
		},
		Unknowable: map[string]string{"outcome": "a stored refusal and a key in flight are answered alike"},
		Options:    func(o *reference.Options) { o.InFlight = "reject" },
		Behaviour:  func(b reference.Behaviour) reference.Behaviour { return declinesWith409{b} },
	}
}

type declinesWith409 struct{ reference.Behaviour }

func (d declinesWith409) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := d.Behaviour.Execute(ctx, s, call, rec)
	if err == nil && out.Answer.Status == 402 {
		out.Answer = reference.Refuse(409, "declined", "the payment was declined")
	}
	return out, err
}
