package zoo

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var caselessKeys = Variant{
	Name: "caseless-keys",
	What: "keys that differ only in case are one key, as UUIDs are read",
	Says: func(s *Says) {
		s.Key["rules"] = "{min_length: 1, max_length: 255, case: insensitive, repeated: {status: [400]}, too_long: {status: [400]}}"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return lowerKeys{b} },
}

type lowerKeys struct{ reference.Behaviour }

func (l lowerKeys) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	key, refusal := l.Behaviour.Key(s, call)
	return strings.ToLower(key), refusal
}
