package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var crashNeedsAnOperator = Variant{
	Name:      "crash-needs-an-operator",
	What:      "what a dead owner left is answered 500 for ever: only an operator can free the key",
	Caught:    []string{"crash"},
	Lasting:   true,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return needsOperator{b, newStart()} },
}

type needsOperator struct {
	reference.Behaviour
	start start
}

func (n needsOperator) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	rec, orphan, err := n.start.orphan(ctx, s, ask)
	if err != nil || !orphan {
		return n.Behaviour.Claim(ctx, s, call, n.start.sign(ask))
	}
	return reference.Claim{Verdict: reference.Busy, Record: rec}, nil
}

func (n needsOperator) Busy(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) *reference.Answer {
	if n.start.left(rec) {
		a := reference.Refuse(500, "handler-failed", "the operation's state is not known")
		return &a
	}
	return n.Behaviour.Busy(ctx, s, call, rec)
}
