package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var endlessKeysGet500 = Variant{
	Name:      "endless-keys-get-500",
	What:      "a key of thousands of characters meets an error of the database instead of its refusal",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return noLengthCheck{b} },
}

type noLengthCheck struct{ reference.Behaviour }

func (n noLengthCheck) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if len(call.Header.Get("Idempotency-Key")) > 2704 {
		a := reference.Refuse(500, "handler-failed", "index row size exceeds the maximum")
		return "", &a
	}
	return n.Behaviour.Key(s, call)
}
