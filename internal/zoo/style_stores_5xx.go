package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var stores5xx = Variant{
	Name: "stores-5xx",
	What: "every answer of the handler is stored, a 500 as well: the same key gets it again",
	Says: func(s *Says) {
		s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "402": replay, "4xx": any, "5xx": replay}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return keeps{b, 600} },
}

// keeps stores the answers below a status.
type keeps struct {
	reference.Behaviour
	below int
}

func (k keeps) Keep(_ *reference.Service, call *reference.Call, a reference.Answer) bool {
	return call.Key != "" && a.Status < k.below
}
