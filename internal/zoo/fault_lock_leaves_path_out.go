package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var lockLeavesPathOut = Variant{
	Name:   "lock-leaves-path-out",
	What:   "results are kept by endpoint, and the lock on work in flight is not: a key at work on one is blocked on the other",
	Caught: []string{"binding"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return sharesLock{b, newNoted[string](), func(call *reference.Call) string { return call.Caller + " " + call.Key }}
	},
}
