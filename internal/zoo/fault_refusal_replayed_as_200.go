package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var refusalReplayedAs200 = Variant{
	Name:   "refusal-replayed-as-200",
	What:   "a stored refusal is replayed as 200",
	Caught: []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return replayedAs200{b, func(status int) bool { return status >= 400 }}
	},
}
