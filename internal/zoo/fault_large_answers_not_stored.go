package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var largeAnswersNotStored = Variant{
	Name:      "large-answers-not-stored",
	What:      "an answer above 64 KiB is not stored, and its retry runs again",
	Caught:    []string{"fidelity"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return smallOnly{b} },
}

type smallOnly struct{ reference.Behaviour }

func (b smallOnly) Keep(s *reference.Service, call *reference.Call, a reference.Answer) bool {
	return len(a.Body) <= 64<<10 && b.Behaviour.Keep(s, call, a)
}
