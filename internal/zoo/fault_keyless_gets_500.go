package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var keylessGets500 = Variant{
	Name:      "keyless-gets-500",
	What:      "a request without a key meets an error of the service instead of its refusal",
	Caught:    []string{"missing-key"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return failsWithoutKey{b} },
}

type failsWithoutKey struct{ reference.Behaviour }

func (k failsWithoutKey) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if len(call.Header.Values("Idempotency-Key")) == 0 {
		a := reference.Refuse(500, "handler-failed", "a key was expected")
		return "", &a
	}
	return k.Behaviour.Key(s, call)
}
