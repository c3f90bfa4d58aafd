package zoo

import (
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var escapesMatter = Variant{
	Name:      "escapes-matter",
	What:      "the fingerprint depends on how characters are escaped",
	Caught:    []string{"reorder"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return countsEscapes{b} },
}

type countsEscapes struct{ reference.Behaviour }

func (countsEscapes) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return sum(string(call.Canonical), strconv.Itoa(strings.Count(string(call.Body), `\`)))
}
