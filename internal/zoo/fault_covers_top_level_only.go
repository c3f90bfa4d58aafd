package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var coversTopLevelOnly = Variant{
	Name:   "covers-top-level-only",
	What:   "the fingerprint covers the members of the body and not what is nested in them",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, metadata: {cart: {sku: "a-1", pieces: 2}, gift: false}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return topLevelOnly{b} },
}

type topLevelOnly struct{ reference.Behaviour }

func (topLevelOnly) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any {
		members, _ := body.(map[string]any)
		for name, value := range members {
			switch value.(type) {
			case map[string]any, []any:
				members[name] = nil
			}
		}
		return members
	})
}
