package zoo

import "github.com/idem-toolkit/idem/internal/reference"

const coveredBytes = 32

var coversFirstBytes = Variant{
	Name:      "covers-first-bytes",
	What:      "the fingerprint covers the first 32 bytes of the body",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return firstBytes{b} },
}

type firstBytes struct{ reference.Behaviour }

func (firstBytes) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return sum(string(call.Canonical[:min(len(call.Canonical), coveredBytes)]))
}
