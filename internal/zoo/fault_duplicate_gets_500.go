package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var duplicateGets500 = Variant{
	Name:   "duplicate-gets-500",
	What:   "the duplicate is detected, and answered 500",
	Caught: []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return duplicateGets{b, reference.Refuse(500, "handler-failed", "the key is there already")}
	},
}
