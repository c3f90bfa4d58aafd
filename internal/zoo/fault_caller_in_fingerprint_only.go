package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var callerInFingerprintOnly = Variant{
	Name:      "caller-in-fingerprint-only",
	What:      "another caller with the same key is refused: the key is one for all callers, and the refusal tells that it is in use",
	Caught:    []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return sharedByCallers{b} },
}

type sharedByCallers struct{ reference.Behaviour }

func (a sharedByCallers) Scope(s *reference.Service, call *reference.Call) reference.Scope {
	scope := a.Behaviour.Scope(s, call)
	scope.Caller = ""
	return scope
}

func (a sharedByCallers) Fingerprint(s *reference.Service, call *reference.Call) string {
	return sum(call.Caller, a.Behaviour.Fingerprint(s, call))
}
