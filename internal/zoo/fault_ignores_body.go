package zoo

import "github.com/idem-toolkit/idem/internal/reference"

// ignoresBody answers the key, whatever the body says.
var ignoresBody = Variant{
	Name:      "ignores-body",
	What:      "the same key with another body gets the first result instead of a conflict",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return withoutBody{b} },
}

type withoutBody struct{ reference.Behaviour }

func (withoutBody) Fingerprint(*reference.Service, *reference.Call) string { return "" }
