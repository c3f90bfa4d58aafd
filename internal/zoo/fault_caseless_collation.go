package zoo

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var caselessCollation = Variant{
	Name:      "caseless-collation",
	What:      "keys that differ only in case are one key, where they are promised to be two",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return collates{b} },
}

type collates struct{ reference.Behaviour }

func (c collates) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	key, refusal := c.Behaviour.Key(s, call)
	return strings.ToUpper(key), refusal
}
