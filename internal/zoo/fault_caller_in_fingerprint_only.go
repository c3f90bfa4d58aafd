package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var callerInFingerprintOnly = Variant{
	Name:      "caller-in-fingerprint-only",
	What:      "another caller with the same key is refused: the key is one for all callers, and the refusal tells that it is in use",
	Caught:    []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return printsCaller{anyCaller{b}} },
}

// printsCaller has the caller be part of the request, so that another's is a
// conflict where they meet.
type printsCaller struct{ reference.Behaviour }

func (p printsCaller) Fingerprint(s *reference.Service, call *reference.Call) string {
	return sum(call.Caller, p.Behaviour.Fingerprint(s, call))
}
