package zoo

import (
	"fmt"

	"github.com/idem-toolkit/idem/internal/reference"
)

var numbersAreTexts = Variant{
	Name:   "numbers-are-texts",
	What:   "the fingerprint takes 2 and \"2\" for the same, where types are promised to be judged strictly",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Promise["conflict"] = "{status: [422], types: strict}"
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, metadata: {cart: {sku: "a-1", pieces: 2}, gift: false}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return spellsNumbers{b} },
}

type spellsNumbers struct{ reference.Behaviour }

func (spellsNumbers) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any {
		return leaves(body, func(v any) any { return fmt.Sprint(v) })
	})
}
