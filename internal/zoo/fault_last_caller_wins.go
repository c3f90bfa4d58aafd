package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var lastCallerWins = Variant{
	Name:   "last-caller-wins",
	What:   "there is one record for each key: another caller's use replaces it, and the first one's retry runs again",
	Caught: []string{"scope"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return lastWins{b, func(s *reference.Scope) *string { return &s.Caller }, newNoted[string](), newDrops()}
	},
}

// lastWins keeps one record for each key, whatever one part of its scope is:
// another value there begins a new one.
type lastWins struct {
	reference.Behaviour
	part  func(*reference.Scope) *string
	last  *noted[string] // value of that part
	drops *drops
}

func (l lastWins) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	part := l.part(&ask.Scope)
	now := *part
	*part = ""
	id := ask.ID()
	if before, known := l.last.get(id); known && before != now {
		l.drops.drop(id)
	}
	l.last.set(id, now)
	return l.Behaviour.Claim(ctx, s, call, l.drops.rekey(ask))
}
