package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var failsWith503 = Variant{
	Name: "fails-with-503",
	What: "an operation that fails is answered 503, as declared, and its key is free",
	Says: func(s *Says) {
		s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "402": replay, "4xx": any, "503": release, "5xx": release}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return failsWith{b, 503, 500} },
}

// failsWith answers a failed operation with another status. Answers below a
// status are stored.
type failsWith struct {
	reference.Behaviour
	status, below int
}

func (f failsWith) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := f.Behaviour.Execute(ctx, s, call, rec)
	if err == nil && out.Answer.Status == 500 {
		out.Answer = reference.Refuse(f.status, "handler-failed", "the operation failed before any effect")
	}
	return out, err
}

func (f failsWith) Keep(_ *reference.Service, call *reference.Call, a reference.Answer) bool {
	return call.Key != "" && a.Status < f.below
}
