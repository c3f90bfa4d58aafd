package zoo

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var foldsCase = Variant{
	Name:   "folds-case",
	What:   "the fingerprint takes texts that differ only in case for the same",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, ref: "Invoice 7b"}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return caseless{b} },
}

type caseless struct{ reference.Behaviour }

func (caseless) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any { return texts(body, strings.ToLower) })
}
