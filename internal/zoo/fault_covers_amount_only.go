package zoo

import (
	"strconv"

	"github.com/idem-toolkit/idem/internal/reference"
)

var coversAmountOnly = Variant{
	Name:      "covers-amount-only",
	What:      "the fingerprint covers the amount alone: another order with the same key gets the first result",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return amountOnly{b} },
}

type amountOnly struct{ reference.Behaviour }

func (amountOnly) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return sum(strconv.FormatInt(call.Operation.Amount, 10))
}
