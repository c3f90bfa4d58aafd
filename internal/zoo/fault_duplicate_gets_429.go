package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var duplicateGets429 = Variant{
	Name:   "duplicate-gets-429",
	What:   "retries of a key are limited like an attack: the duplicate is told to slow down for ever",
	Caught: []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return duplicateGets{b, reference.RefuseFor(429, "overloaded", "too many requests with this key", 1)}
	},
}
