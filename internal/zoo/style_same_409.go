package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var same409 = Variant{
	Name: "same-409",
	What: "409 means in flight and conflict alike, and nothing in the answer tells them apart",
	Says: func(s *Says) {
		s.Promise["in_flight"] = "{status: [409]}"
		s.Promise["conflict"] = "{status: [409]}"
	},
	Options: func(o *reference.Options) { o.InFlight, o.Conflict = "reject", 409 },
}
