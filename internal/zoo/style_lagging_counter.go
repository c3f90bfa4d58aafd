package zoo

import (
	"context"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var laggingCounter = Variant{
	Name:      "lagging-counter",
	What:      "the list of effects is a view that is brought up to date every 300 ms only",
	Says:      func(s *Says) { s.Effects["settle"] = "800ms" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return &stale{Behaviour: b, views: map[string]view{}} },
}

// viewEvery is how old what the counter shows may be.
const viewEvery = 300 * time.Millisecond

type view struct {
	at      time.Time
	effects []reference.Effect
}

// stale answers from a view of each order that is read anew when it is old.
type stale struct {
	reference.Behaviour
	mu    sync.Mutex
	views map[string]view
}

func (st *stale) Effects(ctx context.Context, s *reference.Service, order string, limit int) ([]reference.Effect, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	v, ok := st.views[order]
	if !ok || s.Now().Sub(v.at) > viewEvery {
		effects, err := st.Behaviour.Effects(ctx, s, order, limit)
		if err != nil {
			return nil, err
		}
		v = view{s.Now(), effects}
		st.views[order] = v
	}
	return v.effects, nil
}
