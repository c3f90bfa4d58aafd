package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var keylessRunsUnasked = Variant{
	Name:      "keyless-runs-unasked",
	What:      "a request without a key runs, though it is promised to be refused",
	Caught:    []string{"missing-key"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return keyIsOptional{b} },
}

type keyIsOptional struct{ reference.Behaviour }

func (k keyIsOptional) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if len(call.Header.Values("Idempotency-Key")) == 0 {
		return "", nil
	}
	return k.Behaviour.Key(s, call)
}
