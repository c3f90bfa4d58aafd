package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var numbersAreAdded = Variant{
	Name:   "numbers-are-added",
	What:   "the fingerprint holds the sum of numbers: two amounts in each other's place are the same",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, metadata: {fee: 30, tip: 200}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return added{b} },
}

type added struct{ reference.Behaviour }

func (added) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any {
		sum := 0.0
		rest := numbers(body, func(f float64) any {
			sum += f
			return nil
		})
		return []any{rest, sum}
	})
}
