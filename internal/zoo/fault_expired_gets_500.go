package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var expiredGets500 = Variant{
	Name:   "expired-gets-500",
	What:   "an expired key is found and its answer is not: 500, where it is promised to be free",
	Caught: []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return tombstones{unswept{b}, reference.Refuse(500, "handler-failed", "the key has no answer")}
	},
}
