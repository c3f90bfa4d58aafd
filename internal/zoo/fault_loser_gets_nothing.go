package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var loserGetsNothing = Variant{
	Name:   "loser-gets-nothing",
	What:   "the loser of a race is answered 200 with the empty result of what is not done yet",
	Caught: []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return loserGets{b, nothingYet()}
	},
}
