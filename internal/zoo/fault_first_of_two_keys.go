package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var firstOfTwoKeys = Variant{
	Name:      "first-of-two-keys",
	What:      "a request with two keys is taken by the first of them, instead of refused",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return takesFirst{b} },
}

type takesFirst struct{ reference.Behaviour }

func (f takesFirst) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if values := call.Header.Values("Idempotency-Key"); len(values) > 1 {
		return values[0], nil
	}
	return f.Behaviour.Key(s, call)
}
