package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var hangUpCancels = Variant{
	Name:      "hang-up-cancels",
	What:      "a caller that hangs up cancels its operation, which leaves no effect and frees the key at once",
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return cancels{b} },
}

type cancels struct{ reference.Behaviour }

func (b cancels) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	working, cancel := whileListening(ctx, call)
	defer cancel()
	return b.Behaviour.Execute(working, s, call, rec)
}

// whileListening ends when the caller hangs up.
func whileListening(ctx context.Context, call *reference.Call) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-call.Gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
