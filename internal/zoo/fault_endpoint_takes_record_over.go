package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var endpointTakesRecordOver = Variant{
	Name:   "endpoint-takes-record-over",
	What:   "a key used on another endpoint replaces the first one's record, whose retry then runs again",
	Caught: []string{"binding"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return lastEndpointWins{b, newNoted[string](), newDrops()}
	},
}

type lastEndpointWins struct {
	reference.Behaviour
	last  *noted[string]
	drops *drops
}

// Claim keeps one record for each key: another endpoint begins a new one.
func (l lastEndpointWins) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	path := ask.Scope.Path
	ask.Scope.Path = ""
	id := ask.ID()
	if before, known := l.last.get(id); known && before != path {
		l.drops.drop(id)
	}
	l.last.set(id, path)
	return l.Behaviour.Claim(ctx, s, call, l.drops.rekey(ask))
}
