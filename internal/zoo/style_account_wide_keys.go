package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var accountWideKeys = Variant{
	Name: "account-wide-keys",
	What: "a key is unique within the caller's account: on another endpoint it is a conflict",
	Says: func(s *Says) {
		s.Promise["scope"] = "[caller]"
		s.Promise["binding"] = "conflict"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return callerOnly{b} },
}

// callerOnly makes a key unique within its caller alone.
type callerOnly struct{ reference.Behaviour }

func (callerOnly) Scope(_ *reference.Service, call *reference.Call) reference.Scope {
	return reference.Scope{Caller: call.Caller}
}
