package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var keylessShareAKey = Variant{
	Name:      "keyless-share-a-key",
	What:      "requests without a key are all taken for the one with the empty key: everyone gets the first result",
	Caught:    []string{"missing-key"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return sharesEmpty{b} },
}

type sharesEmpty struct{ reference.Behaviour }

func (k sharesEmpty) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if len(call.Header.Values("Idempotency-Key")) == 0 {
		return "no key", nil
	}
	return k.Behaviour.Key(s, call)
}

func (k sharesEmpty) Fingerprint(s *reference.Service, call *reference.Call) string {
	if len(call.Header.Values("Idempotency-Key")) == 0 {
		return "no key"
	}
	return k.Behaviour.Fingerprint(s, call)
}
