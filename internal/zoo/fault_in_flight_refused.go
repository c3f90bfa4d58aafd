package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var inFlightRefused = Variant{
	Name:   "in-flight-refused",
	What:   "a copy in flight is refused where waiting is promised",
	Caught: []string{"concurrent"},
	Says: func(s *Says) {
		s.Promise["in_flight"] = "{wait: true}"
	},
	Options: func(o *reference.Options) { o.InFlight = "reject" },
}
