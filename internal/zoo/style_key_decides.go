package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var keyDecides = Variant{
	Name: "key-decides",
	What: "only the key matters: the same key gets the first result, whatever the body says",
	Says: func(s *Says) {
		s.Promise["conflict"] = "replay"
		s.Promise["reorder"] = "semantic"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return withoutBody{b} },
}
