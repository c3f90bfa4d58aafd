package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var pathLeftOut = Variant{
	Name:      "path-left-out",
	What:      "the same key on another endpoint is answered with the first endpoint's result",
	Caught:    []string{"binding"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return bodyOnly{anyEndpoint{b}} },
}

// anyEndpoint has keys as one space for all endpoints.
type anyEndpoint struct{ reference.Behaviour }

func (a anyEndpoint) Scope(s *reference.Service, call *reference.Call) reference.Scope {
	scope := a.Behaviour.Scope(s, call)
	scope.Path = ""
	return scope
}
