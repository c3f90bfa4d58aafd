package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var staleAfterExpiry = Variant{
	Name:      "stale-after-expiry",
	What:      "an expired key runs again, and is answered with the old result and its marker",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return servesStale{unswept{b}, newNoted[time.Time]()} },
}

type servesStale struct {
	reference.Behaviour
	until *noted[time.Time] // when a key is due to run again
}

func (v servesStale) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, past, err := over(ctx, s, ask)
	if err != nil || !past {
		return v.Behaviour.Claim(ctx, s, call, ask)
	}
	if v.revalidate(ask) {
		runAgain(ctx, s, call)
	}
	return v.Behaviour.Claim(ctx, s, call, notYetOver(ask, rec))
}

// revalidate says that a key is due to run again, to one request a retention.
func (v servesStale) revalidate(ask reference.Ask) bool {
	v.until.mu.Lock()
	defer v.until.mu.Unlock()
	if v.until.of[ask.ID()].After(ask.Now) {
		return false
	}
	v.until.of[ask.ID()] = ask.Expires
	return true
}
