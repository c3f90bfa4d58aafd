package zoo

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/idem-toolkit/idem/internal/reference"
)

var nestedOrderMatters = Variant{
	Name:   "nested-order-matters",
	What:   "the fingerprint sorts the members of the body and not those nested in them",
	Caught: []string{"reorder"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, metadata: {cart: {sku: "a-1", pieces: 2}, gift: false}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return sortsTopLevel{b} },
}

type sortsTopLevel struct{ reference.Behaviour }

func (sortsTopLevel) Fingerprint(_ *reference.Service, call *reference.Call) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(call.Body, &members) != nil {
		return sum(string(call.Body))
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		parts = append(parts, name, tokens(members[name]))
	}
	return sum(parts...)
}
