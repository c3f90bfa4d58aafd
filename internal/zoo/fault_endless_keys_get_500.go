package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var endlessKeysGet500 = Variant{
	Name:      "endless-keys-get-500",
	What:      "an index takes no entries of more than 2000 random bytes: a key of thousands of characters that do not compress meets an error instead of its refusal",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return noLengthCheck{b} },
}

type noLengthCheck struct{ reference.Behaviour }

func (n noLengthCheck) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if packed(call.Header.Get("Idempotency-Key")) > 2000 {
		a := reference.Refuse(500, "handler-failed", "index row size exceeds the maximum")
		return "", &a
	}
	return n.Behaviour.Key(s, call)
}
