package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var hangsInOutage = Variant{
	Name: "hangs-in-outage",
	What: "while its store is away the service does not answer at all, until the caller gives up",
	Says: func(s *Says) {
		s.Target["timeout"] = "3s"
		s.Request["slow"] = `{body: {order_id: "o-1", amount: 1999, currency: EUR, work_ms: 2200}}`
		s.Promise["retention"] = "{at_least: 12s, at_most: 14s, from: first_use}"
		s.Expiry["wait"] = "12s"
	},
	Options:   func(o *reference.Options) { o.Retention *= 2 },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return hangs{b} },
}

// hangs waits for a store that fails, as clients of stores without a time-out do.
type hangs struct{ reference.Behaviour }

const hangsAtMost = 30 * time.Second

func (h hangs) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := h.Behaviour.Claim(ctx, s, call, ask)
	if err != nil {
		waiting, cancel := whileListening(ctx, call)
		defer cancel()
		_ = s.Sleep(waiting, hangsAtMost)
	}
	return claim, err
}
