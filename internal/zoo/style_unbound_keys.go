package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var unboundKeys = Variant{
	Name: "unbound-keys",
	What: "a key is not bound to its endpoint: another one replays the first result, as one vendor does",
	Says: func(s *Says) {
		s.Promise["scope"] = "[caller]"
		s.Promise["binding"] = "replay"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return bodyOnly{callerOnly{b}} },
}

// bodyOnly fingerprints the body's meaning and not where it was sent.
type bodyOnly struct{ reference.Behaviour }

func (b bodyOnly) Fingerprint(s *reference.Service, call *reference.Call) string {
	elsewhere := *call
	elsewhere.Scope = reference.Scope{}
	return b.Behaviour.Fingerprint(s, &elsewhere)
}
