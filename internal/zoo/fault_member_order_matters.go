package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var memberOrderMatters = Variant{
	Name:      "member-order-matters",
	What:      "the fingerprint keeps the order in which members were sent",
	Caught:    []string{"reorder"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return keepsOrder{b} },
}

type keepsOrder struct{ reference.Behaviour }

func (keepsOrder) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return sum(tokens(call.Body))
}
