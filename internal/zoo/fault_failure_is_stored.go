package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var failureIsStored = Variant{
	Name:      "failure-is-stored",
	What:      "a failure is stored though its key was promised to be free again",
	Caught:    []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return storesFailures{b} },
}

type storesFailures struct{ reference.Behaviour }

func (storesFailures) Keep(_ *reference.Service, call *reference.Call, _ reference.Answer) bool {
	return call.Key != ""
}
