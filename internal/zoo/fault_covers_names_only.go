package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var coversNamesOnly = Variant{
	Name:      "covers-names-only",
	What:      "the fingerprint covers the names of the members and not their values",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return namesOnly{b} },
}

type namesOnly struct{ reference.Behaviour }

func (namesOnly) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any {
		return leaves(body, func(any) any { return nil })
	})
}
