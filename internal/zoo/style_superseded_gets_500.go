package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var supersededGets500 = Variant{
	Name:      "superseded-gets-500",
	What:      "an owner keeps its claim for a second: then a duplicate takes over and finishes, and the old owner's caller gets 500",
	Says:      func(s *Says) { s.Promise["owner_max"] = lease },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return takenOver{unrenewed{b}, 500} },
}
