package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var refusalLeavesClaim = Variant{
	Name:      "refusal-leaves-claim",
	What:      "a refusal of the handler leaves its claim: the key stays in flight",
	Caught:    []string{"outcome"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return leftClaimed{b, 4} },
}
