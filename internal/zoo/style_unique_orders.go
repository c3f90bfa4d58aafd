package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

func uniqueOrders() Variant {
	return Variant{
		Name:       "unique-orders",
		What:       "an order is charged once whatever the key: another key with the same order id is refused",
		Unknowable: everyStep("the same values under another key are refused, so that whether the counter counts every effect cannot be told"),
		Says:       func(s *Says) { s.Promise["after_retention"] = "any" }, // the order is still there when its key is forgotten
		Behaviour:  func(b reference.Behaviour) reference.Behaviour { return chargesOnce{b} },
	}
}

// everyStep gives one reason for all steps.
func everyStep(why string) map[string]string {
	out := map[string]string{}
	for _, step := range []string{"duplicate", "concurrent", "conflict", "reorder", "crash", "expiry", "slow", "disconnect", "outcome",
		"missing-key", "binding", "scope", "fidelity", "key-rules", "replicas", "store-down"} {
		out[step] = why
	}
	return out
}

type chargesOnce struct{ reference.Behaviour }

func (c chargesOnce) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	effects, err := c.Behaviour.Effects(ctx, s, call.Operation.OrderID, 1)
	switch {
	case err != nil:
		return reference.Outcome{}, err
	case len(effects) > 0:
		return reference.Outcome{Answer: reference.Refuse(409, "order-exists", "the order is charged already")}, nil
	}
	return c.Behaviour.Execute(ctx, s, call, rec)
}
