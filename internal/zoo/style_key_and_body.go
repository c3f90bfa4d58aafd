package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var keyAndBody = Variant{
	Name:      "key-and-body",
	What:      "key and body together name the operation: another body under the same key is another operation",
	Says:      func(s *Says) { s.Promise["conflict"] = "execute" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return bodyInScope{b} },
}

// bodyInScope puts the fingerprint into what a key is unique within.
type bodyInScope struct{ reference.Behaviour }

func (b bodyInScope) Scope(s *reference.Service, call *reference.Call) reference.Scope {
	scope := b.Behaviour.Scope(s, call)
	scope.Query += "#" + call.Fingerprint
	return scope
}
