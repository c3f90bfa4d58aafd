package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var queryLeftOut = Variant{
	Name:      "query-left-out",
	What:      "the same key with another query is answered with the first query's result",
	Caught:    []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return bodyOnly{anyQuery{b}} },
}

type anyQuery struct{ reference.Behaviour }

func (a anyQuery) Scope(s *reference.Service, call *reference.Call) reference.Scope {
	scope := a.Behaviour.Scope(s, call)
	scope.Query = ""
	return scope
}
