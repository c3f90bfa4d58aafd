package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var emptyAnswersNotStored = Variant{
	Name:      "empty-answers-not-stored",
	What:      "an answer without a body is taken for none, and its retry runs again",
	Caught:    []string{"fidelity"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return bodiesOnly{b} },
}

type bodiesOnly struct{ reference.Behaviour }

func (b bodiesOnly) Keep(s *reference.Service, call *reference.Call, a reference.Answer) bool {
	return len(a.Body) > 0 && b.Behaviour.Keep(s, call, a)
}
