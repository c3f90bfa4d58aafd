package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var lockLeavesCallerOut = Variant{
	Name:   "lock-leaves-caller-out",
	What:   "results are kept by caller, and the lock on work in flight is not: a caller is blocked by another's work",
	Caught: []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return sharesLock{b, newNoted[string](), func(call *reference.Call) string { return call.Path + " " + call.Key }}
	},
}

// sharesLock meets in flight what has the same lock, under whatever record.
type sharesLock struct {
	reference.Behaviour
	held *noted[string]
	lock func(*reference.Call) string
}

func (l sharesLock) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	if id, held := l.held.get(l.lock(call)); held && id != ask.ID() {
		rec, found, err := s.Store().Find(ctx, id)
		if err != nil {
			return reference.Claim{}, err
		}
		if found && rec.State == reference.InProgress && rec.LeaseUntil.After(ask.Now) {
			return reference.Claim{Verdict: reference.Busy, Record: rec}, nil
		}
	}
	claim, err := l.Behaviour.Claim(ctx, s, call, ask)
	if err == nil && claim.Verdict == reference.Won {
		l.held.set(l.lock(call), ask.ID())
	}
	return claim, err
}
