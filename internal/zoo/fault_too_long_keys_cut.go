package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var tooLongKeysCut = Variant{
	Name:      "too-long-keys-cut",
	What:      "keys that are too long are cut and taken instead of refused",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return cutsKeys{b} },
}

type cutsKeys struct{ reference.Behaviour }

func (c cutsKeys) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if key := call.Header.Get("Idempotency-Key"); len(key) > 255 {
		return key[:255], nil
	}
	return c.Behaviour.Key(s, call)
}
