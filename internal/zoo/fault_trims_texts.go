package zoo

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var trimsTexts = Variant{
	Name:   "trims-texts",
	What:   "the fingerprint takes texts that differ only in white space for the same",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, ref: "invoice 7b"}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return spaceless{b} },
}

type spaceless struct{ reference.Behaviour }

func (spaceless) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any {
		return texts(body, func(text string) string { return strings.Join(strings.Fields(text), "") })
	})
}
