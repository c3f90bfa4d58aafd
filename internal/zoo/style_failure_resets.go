package zoo

import (
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

var failureResets = Variant{
	Name:      "failure-resets",
	What:      "a handler that panics takes its connection with it: no answer comes, and the key is free",
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return endsConnection{b} },
}

type endsConnection struct{ reference.Behaviour }

func (b endsConnection) Deliver(w http.ResponseWriter, s *reference.Service, call *reference.Call, a reference.Answer) {
	if a.Status == 500 {
		panic(http.ErrAbortHandler) // the connection ends, and nothing is logged
	}
	b.Behaviour.Deliver(w, s, call, a)
}
