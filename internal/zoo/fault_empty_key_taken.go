package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var emptyKeyTaken = Variant{
	Name:      "empty-key-taken",
	What:      "an empty key is taken for a key like any other",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return takesEmpty{b} },
}

type takesEmpty struct{ reference.Behaviour }

func (e takesEmpty) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if values := call.Header.Values("Idempotency-Key"); len(values) == 1 && values[0] == "" {
		return "the empty one", nil
	}
	return e.Behaviour.Key(s, call)
}
