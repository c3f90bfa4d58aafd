package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var claimNotRenewed = Variant{
	Name:      "claim-not-renewed",
	What:      "a live owner does not renew its claim: when the lease is over a duplicate takes it, and both have the effect",
	Caught:    []string{"slow"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return unfenced{unrenewed{b}} },
}
