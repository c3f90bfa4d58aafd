package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var neverFinished = Variant{
	Name:   "never-finished",
	What:   "the key is never marked as finished: every duplicate is told that the first is still running",
	Caught: []string{"duplicate"},
	Says: func(s *Says) {
		s.Promise["in_flight"] = "{status: [409], wait: true}"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return duplicateGets{b, inFlight(409)} },
}
