package zoo

import (
	"strconv"

	"github.com/idem-toolkit/idem/internal/reference"
)

var sixDigitNumbers = Variant{
	Name:   "six-digit-numbers",
	What:   "the fingerprint prints numbers with six digits: neighbours above a million are the same",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 123456789, currency: EUR}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return sixDigits{b} },
}

type sixDigits struct{ reference.Behaviour }

func (sixDigits) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any {
		return numbers(body, func(f float64) any { return strconv.FormatFloat(f, 'g', 6, 64) })
	})
}
