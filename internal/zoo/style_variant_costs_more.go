package zoo

import (
	"context"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var variantCostsMore = Variant{
	Name:      "variant-costs-more",
	What:      "what is answered with a redirect or a statement moves money twice, for itself and for a fee",
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return takesFees{b} },
}

// takesFees has one entry in the ledger stand for two movements, so that they
// come and go together.
type takesFees struct{ reference.Behaviour }

const withFee = "ef_fee_"

func (f takesFees) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := f.Behaviour.Execute(ctx, s, call, rec)
	if err == nil && out.Effect != nil && (call.Operation.Shape == "redirect" || call.Operation.Shape == "large") {
		out.Effect.ID = withFee + out.Effect.ID
	}
	return out, err
}

func (f takesFees) Effects(ctx context.Context, s *reference.Service, order string, limit int) ([]reference.Effect, error) {
	effects, err := f.Behaviour.Effects(ctx, s, order, limit)
	var all []reference.Effect
	for _, e := range effects {
		all = append(all, e)
		if strings.HasPrefix(e.ID, withFee) {
			e.ID, e.Amount = e.ID+"/fee", 1
			all = append(all, e)
		}
	}
	return all[:min(len(all), limit)], err
}
