package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replayExtends = Variant{
	Name:      "replay-extends",
	What:      "every replay moves the end of the retention on, where it is promised to count from the first use",
	Caught:    []string{"expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return slides{unswept{b}, newNoted[time.Time]()} },
}

type slides struct {
	reference.Behaviour
	used *noted[time.Time] // when a key was replayed
}

func (k slides) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, past, err := over(ctx, s, ask)
	if err != nil {
		return reference.Claim{}, err
	}
	used, replayed := k.used.get(ask.ID())
	if past && replayed && ask.Now.Sub(used) < ask.Expires.Sub(ask.Now) {
		ask = notYetOver(ask, rec)
	}
	return k.Behaviour.Claim(ctx, s, call, ask)
}

func (k slides) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	k.used.set(recordID(s, call), s.Now())
	return k.Behaviour.Replay(ctx, s, call, rec)
}
