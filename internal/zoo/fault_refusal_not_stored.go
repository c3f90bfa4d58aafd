package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var refusalNotStored = Variant{
	Name:      "refusal-not-stored",
	What:      "a refusal is not stored though that was promised: it is met again",
	Caught:    []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return forgetsRefusals{b} },
}

type forgetsRefusals struct{ reference.Behaviour }

func (b forgetsRefusals) Keep(s *reference.Service, call *reference.Call, a reference.Answer) bool {
	return a.Status < 400 && b.Behaviour.Keep(s, call, a)
}
