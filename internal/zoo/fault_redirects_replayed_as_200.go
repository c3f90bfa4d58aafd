package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var redirectsReplayedAs200 = Variant{
	Name:   "redirects-replayed-as-200",
	What:   "a redirect is replayed as 200",
	Caught: []string{"fidelity"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return replayedAs200{b, func(status int) bool { return status/100 == 3 }}
	},
}
