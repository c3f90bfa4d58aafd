package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

func hangUpStored() Variant {
	return Variant{
		Name: "hang-up-stored",
		What: "a caller that hangs up cancels its operation, and that failure is its result: the key gets 499 again, as declared",
		Says: func(s *Says) {
			s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "402": replay, "499": replay, "4xx": any, "5xx": release}`
		},
		Unknowable: map[string]string{"disconnect": "a failure is stored where the caller hangs up in time, and no result is there to be judged"},
		Behaviour:  func(b reference.Behaviour) reference.Behaviour { return cancelsForGood{b} },
	}
}

type cancelsForGood struct{ reference.Behaviour }

func (b cancelsForGood) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	working, cancel := whileListening(ctx, call)
	defer cancel()
	out, err := b.Behaviour.Execute(working, s, call, rec)
	if err != nil && ctx.Err() == nil && gone(call) {
		return reference.Outcome{Answer: reference.Refuse(499, "gone", "the caller has gone")}, nil
	}
	return out, err
}
