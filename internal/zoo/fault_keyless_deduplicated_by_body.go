package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var keylessDeduplicatedByBody = Variant{
	Name:      "keyless-deduplicated-by-body",
	What:      "requests without a key run, but the same body again is answered with the first result",
	Caught:    []string{"missing-key"},
	Says:      func(s *Says) { s.Promise["missing_key"] = "execute" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return bodyForKey{b} },
}

type bodyForKey struct{ reference.Behaviour }

func (k bodyForKey) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if len(call.Header.Values("Idempotency-Key")) == 0 {
		return "body " + sum(string(call.Body))[:40], nil
	}
	return k.Behaviour.Key(s, call)
}
