package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var storesSuccessOnly = Variant{
	Name:      "stores-success-only",
	What:      "only successes are stored: after a refusal the key is free, and the corrected request may use it",
	Says:      func(s *Says) { s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "4xx": release, "5xx": release}` },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return keeps{b, 400} },
}
