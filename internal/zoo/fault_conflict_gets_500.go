package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var conflictGets500 = Variant{
	Name:   "conflict-gets-500",
	What:   "a conflict is answered 500",
	Caught: []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return conflictGets{b, reference.Refuse(500, "handler-failed", "the key was used for another request")}
	},
}
