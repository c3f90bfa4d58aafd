package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var byteFingerprint = Variant{
	Name:      "byte-fingerprint",
	What:      "the fingerprint covers the body's bytes, so that the same JSON spelled otherwise is a conflict",
	Says:      func(s *Says) { s.Promise["reorder"] = "bytes" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return bytesOnly{b} },
}
