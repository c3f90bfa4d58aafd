package zoo

import (
	"context"
	"sync"

	"github.com/idem-toolkit/idem/internal/reference"
)

// capacity is less than one check makes keys.
const capacity = 16

var evictsWhenFull = Variant{
	Name:      "evicts-when-full",
	What:      "the store holds 16 keys, and a new one evicts the oldest whatever its age",
	Caught:    []string{"expiry", "duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return &evicts{Behaviour: b, gone: newDrops()} },
}

type evicts struct {
	reference.Behaviour
	gone *drops
	mu   sync.Mutex
	held []string // the oldest first
}

func (e *evicts) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := e.Behaviour.Claim(ctx, s, call, e.gone.rekey(ask))
	if err == nil && claim.Verdict == reference.Won {
		e.admit(ask.ID())
	}
	return claim, err
}

func (e *evicts) admit(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held = append(e.held, id); len(e.held) > capacity {
		e.gone.drop(e.held[0])
		e.held = e.held[1:]
	}
}
