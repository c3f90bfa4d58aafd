package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var inFlight425 = Variant{
	Name:      "in-flight-425",
	What:      "a duplicate that comes while the first is worked on is refused with 425 (Too Early)",
	Says:      func(s *Says) { s.Promise["in_flight"] = "{status: [425]}" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return loserGets{b, inFlight(425)} },
}
