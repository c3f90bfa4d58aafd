package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var keylessRunsAndIsRefused = Variant{
	Name:      "keyless-runs-and-is-refused",
	What:      "a request without a key is refused after its handler has run",
	Caught:    []string{"missing-key"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return refusesTooLate{b} },
}

type refusesTooLate struct{ reference.Behaviour }

func (k refusesTooLate) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	key, refusal := k.Behaviour.Key(s, call)
	if refusal != nil && len(call.Header.Values("Idempotency-Key")) == 0 {
		runAgain(context.Background(), s, call)
	}
	return key, refusal
}
