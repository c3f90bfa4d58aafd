package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var oneKeySpace = Variant{
	Name: "one-key-space",
	What: "keys are one space for all callers and endpoints: whoever uses another's is refused as a conflict",
	Says: func(s *Says) {
		s.Promise["scope"] = "[]"
		s.Promise["binding"] = "conflict"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return printsCaller{sharedKeys{b}} },
}

type sharedKeys struct{ reference.Behaviour }

func (sharedKeys) Scope(*reference.Service, *reference.Call) reference.Scope {
	return reference.Scope{}
}
