package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var inFlight429 = Variant{
	Name: "in-flight-429",
	What: "a duplicate that comes while the first is worked on is refused with 429, as one vendor does",
	Says: func(s *Says) {
		s.Promise["in_flight"] = "{status: [429], json: {/type: /problems/in-flight}}"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return loserGets{b, inFlight(429)} },
}
