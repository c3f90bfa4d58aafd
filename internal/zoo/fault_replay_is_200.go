package zoo

import (
	"context"
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replayIs200 = Variant{
	Name:      "replay-is-200",
	What:      "a replay of 201 is answered 200",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return forgetsStatus{b} },
}

type forgetsStatus struct{ reference.Behaviour }

func (f forgetsStatus) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := f.Behaviour.Replay(ctx, s, call, rec)
	if a.Status == http.StatusCreated {
		a.Status = http.StatusOK
	}
	return a
}
