package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var pathInFingerprintOnly = Variant{
	Name:      "path-in-fingerprint-only",
	What:      "keys are one space for all endpoints: another one's request is refused as a conflict, where it is promised to run",
	Caught:    []string{"binding"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return anyEndpoint{b} },
}
