package zoo

import (
	"math"

	"github.com/idem-toolkit/idem/internal/reference"
)

var signsLeftOut = Variant{
	Name:   "signs-left-out",
	What:   "the fingerprint leaves signs out: 30 and -30 are the same",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, metadata: {discount: 30}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return computed{b, math.Abs} },
}
