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
		return oneForAllCallers{b, newNoted[string](), newDrops()}
	},
}

type oneForAllCallers struct {
	reference.Behaviour
	last  *noted[string]
	drops *drops
}

func (l oneForAllCallers) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Scope.Caller = ""
	id := ask.ID()
	if before, known := l.last.get(id); known && before != call.Caller {
		l.drops.drop(id)
	}
	l.last.set(id, call.Caller)
	return l.Behaviour.Claim(ctx, s, call, l.drops.rekey(ask))
}
