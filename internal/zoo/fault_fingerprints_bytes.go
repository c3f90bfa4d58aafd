package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var fingerprintsBytes = Variant{
	Name:      "fingerprints-bytes",
	What:      "the fingerprint is of the bytes where the meaning is promised to count",
	Caught:    []string{"reorder"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return bytesOnly{b} },
}

// bytesOnly fingerprints the body as it came; where it was sent is in the scope.
type bytesOnly struct{ reference.Behaviour }

func (bytesOnly) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return sum(string(call.Body))
}
