package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var endpointTakesRecordOver = Variant{
	Name:   "endpoint-takes-record-over",
	What:   "a key used on another endpoint replaces the first one's record, whose retry then runs again",
	Caught: []string{"binding"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return lastWins{b, func(s *reference.Scope) *string { return &s.Path }, newNoted[string](), newDrops()}
	},
}
