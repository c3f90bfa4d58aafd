package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var inFlight409 = Variant{
	Name:    "in-flight-409",
	What:    "a duplicate that comes while the first is worked on is refused with 409 and Retry-After",
	Says:    func(s *Says) { s.Promise["in_flight"] = "{status: [409]}" },
	Options: func(o *reference.Options) { o.InFlight = "reject" },
}
