package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var loserGets503 = Variant{
	Name:   "loser-gets-503",
	What:   "the loser of a race meets the unique index, and is answered 503",
	Caught: []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return loserGets{b, reference.RefuseFor(503, "store-unavailable", "the key violates a unique constraint", 1)}
	},
}
