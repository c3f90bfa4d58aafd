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

// Expected counts what a plan does where every answer is final at once: the
// operations made, told apart by their keys, and the requests sent.
func Expected(p probe.Plan) (makes, sends int) {
	key := map[string]string{}
	for _, q := range p.Requests {
		key[q.ID] = q.Key
	}
	keys := map[string]bool{}
	for _, t := range p.Threads {
		expect(t.Actions, func(request string, copies int) {
			keys[key[request]] = true
			sends = saturated(sends, copies)
		})
	}
	return len(keys), sends
}

// expect calls send for the requests that are expected: conditions that are for
// trouble do not hold, what may be repeated is done once.
func expect(actions []probe.Action, send func(request string, copies int)) {
	all := func(requests []string) {
		for _, id := range requests {
			send(id, 1)
		}
	}
	for _, a := range actions {
		switch a := a.(type) {
		case probe.Send:
			send(a.Request, max(a.Copies, 1))
		case probe.Burst:
			all(a.Requests)
		case probe.Volley:
			all(a.Requests)
		case probe.If:
			switch a.When.Fact {
			case probe.InTime, probe.Begun, probe.Settled, probe.Pending:
				expect(a.Body, send)
			}
		case probe.Try:
			expect(a.Body, send)
		case probe.Fan:
			for _, branch := range a.Branches {
				expect(branch, send)
			}
		case probe.Repeat:
			if a.Max > 0 {
				expect(a.Body, send)
			}
		}
	}
}

// saturated adds without running over.
func saturated(a, b int) int {
	if b > math.MaxInt-a {
		return math.MaxInt
	}
	return a + b
}
