package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var keysCutTo64 = Variant{
	Name:      "keys-cut-to-64",
	What:      "keys are cut to the 64 characters of their column: longer ones that begin alike are one key",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return shortColumn{b} },
}

type shortColumn struct{ reference.Behaviour }

func (c shortColumn) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	key, refusal := c.Behaviour.Key(s, call)
	return key[:min(len(key), 64)], refusal
}
