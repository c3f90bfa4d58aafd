package zoo

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/idem-toolkit/idem/internal/reference"
)

var byteFingerprint = Variant{
	Name:      "byte-fingerprint",
	What:      "the fingerprint covers the body's bytes, so that the same JSON spelled otherwise is a conflict",
	Says:      func(s *Says) { s.Promise["reorder"] = "bytes" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return byteWise{b} },
}

type byteWise struct{ reference.Behaviour }

func (byteWise) Fingerprint(_ *reference.Service, call *reference.Call) string {
	sum := sha256.Sum256([]byte(call.Method + " " + call.Path + "?" + call.Query + "\n" + string(call.Body)))
	return hex.EncodeToString(sum[:])
}
