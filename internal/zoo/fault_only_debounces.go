package zoo

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

const debounce = 200 * time.Millisecond

var onlyDebounces = Variant{
	Name:      "only-debounces",
	What:      "a key is remembered for a fifth of a second: enough for a double click, not for a retry",
	Caught:    []string{"duplicate", "expiry"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return debounces{b} },
}

type debounces struct{ reference.Behaviour }

func (d debounces) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Expires = ask.Now.Add(debounce)
	return d.Behaviour.Claim(ctx, s, call, ask)
}
