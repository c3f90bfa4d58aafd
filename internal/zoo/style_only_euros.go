package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var onlyEuros = Variant{
	Name:      "only-euros",
	What:      "every currency but EUR is refused with 400 before the key is looked up: plain validation, and no conflict",
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return takesEuros{b} },
}

type takesEuros struct{ reference.Behaviour }

func (e takesEuros) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if currency := call.Operation.Currency; currency != "" && currency != "EUR" {
		a := reference.Refuse(400, "body-invalid", "only EUR is taken")
		return "", &a
	}
	return e.Behaviour.Key(s, call)
}
