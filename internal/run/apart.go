package run

import (
	"context"
	"errors"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// apart sends one copy that is unlike the others: the connection is ended on
// purpose, or its answer takes so long that it would keep others waiting.
func (x *actor) apart(ctx context.Context, a probe.Send) {
	x.r.pace.await(ctx, 1)
	if !a.Long {
		free, ok := x.shared(ctx)
		if !ok {
			return
		}
		defer free()
	}
	if ctx.Err() != nil {
		return
	}
	one, err := x.copy(ctx, a.Request, a.Target, a.Other)
	if err != nil {
		x.undone(a.Label, err.Error())
		return
	}
	fresh, why := x.goes(a.Request)
	if why != "" {
		x.undone(a.Label, why)
		return
	}
	one.HangUp, one.Apart = x.hangUp(a.HangUp), a.Apart
	res := x.r.Client.SendCopy(ctx, one)
	// Who hung up waited for no answer, and what takes long may take longer.
	x.ended(fresh, a.Long || a.HangUp.When != probe.Stay, res)
	x.recordResult(a.Label, 0, came{a.Request, a.Target, a.Other}, res)
}

// hangUp gives the moment of a hang-up: parts of an answer's time are of the
// time that the control saw.
func (x *actor) hangUp(h probe.HangUp) wire.HangUp {
	var out wire.HangUp
	switch h.When {
	case probe.Stay:
		return out
	case probe.InAnswer:
		out.When = wire.InAnswer
	default:
		out.When = wire.AfterWrite
	}
	out.After = h.After + time.Duration(h.Part*float64(x.answerTime()))
	return out
}

// outcome is what became of a copy, with what was done on purpose told from
// what was not: a hang-up is no trouble.
func outcome(res wire.Result) trace.Outcome {
	if res.Outcome != trace.Answered && errors.Is(res.Err, wire.ErrHungUp) {
		return trace.HungUp
	}
	return res.Outcome
}
