package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var copiesGetOtherResults = Variant{
	Name:      "copies-get-other-results",
	What:      "the loser of a race waits for the first, and gets a result that is not its",
	Caught:    []string{"concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return otherResults{notesWaiting{b}} },
}

type otherResults struct{ reference.Behaviour }

func (o otherResults) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	if waited(call) {
		return reference.NewPayment(call, s.Now()).Answer().With(markerName, markerValue)
	}
	return o.Behaviour.Replay(ctx, s, call, rec)
}
