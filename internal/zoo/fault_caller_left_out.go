package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var callerLeftOut = Variant{
	Name:      "caller-left-out",
	What:      "another caller with the same key and body gets the first caller's result",
	Caught:    []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return anyCaller{b} },
}

// anyCaller has keys as one space for all callers.
type anyCaller struct{ reference.Behaviour }

func (a anyCaller) Scope(s *reference.Service, call *reference.Call) reference.Scope {
	scope := a.Behaviour.Scope(s, call)
	scope.Caller = ""
	return scope
}
