package zoo

import (
	"math"

	"github.com/idem-toolkit/idem/internal/reference"
)

var wholeNumbers = Variant{
	Name:   "whole-numbers",
	What:   "the fingerprint leaves fractions out: 12.50 and 12.99 are the same",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, metadata: {price: 12.50}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return computed{b, math.Trunc}
	},
}

// computed fingerprints what becomes of numbers.
type computed struct {
	reference.Behaviour
	of func(float64) float64
}

func (c computed) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any {
		return numbers(body, func(f float64) any { return c.of(f) })
	})
}
