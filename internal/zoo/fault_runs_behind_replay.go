package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var runsBehindReplay = Variant{
	Name:      "runs-behind-replay",
	What:      "a duplicate is answered with the first answer and its marker, while the handler runs again",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return runsBehind{b} },
}

type runsBehind struct{ reference.Behaviour }

func (r runsBehind) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	runAgain(ctx, s, call)
	return r.Behaviour.Replay(ctx, s, call, rec)
}
