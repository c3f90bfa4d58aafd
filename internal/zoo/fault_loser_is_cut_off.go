package zoo

import (
	"context"
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

// cutNote says that a call is not to be answered.
const cutNote = "cut"

var loserIsCutOff = Variant{
	Name:      "loser-is-cut-off",
	What:      "the loser of a race gets no answer: its handler dies and the connection is closed",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return cutsLoserOff{b} },
}

type cutsLoserOff struct{ reference.Behaviour }

func (cutsLoserOff) Busy(_ context.Context, _ *reference.Service, call *reference.Call, _ reference.Record) *reference.Answer {
	call.Notes[cutNote] = true
	return &reference.Answer{}
}

func (c cutsLoserOff) Deliver(w http.ResponseWriter, s *reference.Service, call *reference.Call, a reference.Answer) {
	if call.Notes[cutNote] != nil {
		panic(http.ErrAbortHandler)
	}
	c.Behaviour.Deliver(w, s, call, a)
}
