package report

import (
	"math"

	"github.com/idem-toolkit/idem/internal/probe"
)

// MostSends counts the requests that a plan sends at most: copies, and repeats
// to their bound.
func MostSends(p probe.Plan) int {
	n := 0
	for _, t := range p.Threads {
		n = saturated(n, sendsOf(t.Actions))
	}
	return n
}

func sendsOf(actions []probe.Action) int {
	n := 0
	for _, a := range actions {
		switch a := a.(type) {
		case probe.Send:
			n = saturated(n, max(a.Copies, 1))
		case probe.Burst:
			n = saturated(n, len(a.Requests))
		case probe.Volley:
			n = saturated(n, len(a.Requests))
		case probe.If:
			n = saturated(n, sendsOf(a.Body))
		case probe.Try:
			n = saturated(n, sendsOf(a.Body))
		case probe.Fan:
			for _, branch := range a.Branches {
				n = saturated(n, sendsOf(branch))
			}
		case probe.Repeat:
			once := sendsOf(a.Body)
			if once > 0 && a.Max > (math.MaxInt-n)/once {
				return math.MaxInt
			}
			n += once * max(a.Max, 0)
		}
	}
	return n
}

// saturated adds without running over.
func saturated(a, b int) int {
	if b > math.MaxInt-a {
		return math.MaxInt
	}
	return a + b
}
