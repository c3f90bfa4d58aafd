package zoo

import (
	"bytes"
	"strconv"

	"github.com/idem-toolkit/idem/internal/reference"
)

var outerSpaceMatters = Variant{
	Name:      "outer-space-matters",
	What:      "the fingerprint depends on white space around the whole body",
	Caught:    []string{"reorder"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return countsOuterSpace{b} },
}

type countsOuterSpace struct{ reference.Behaviour }

func (countsOuterSpace) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return sum(string(call.Canonical), strconv.Itoa(len(call.Body)-len(bytes.TrimSpace(call.Body))))
}
