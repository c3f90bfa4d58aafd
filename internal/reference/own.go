package reference

import (
	"context"
	"errors"
	"runtime/debug"
)

// errUnknown says that an effect elsewhere may or may not have happened.
var errUnknown = errors.New("the effect's outcome is not known")

// own does an operation under a claim: executes while the lease is renewed,
// then commits. The error is ErrLost when another owner took over, and nil when
// there is an answer, a refusal included. The caller's hanging up changes
// nothing: what was begun is finished and recorded.
func (s *Service) own(ctx context.Context, call *Call, rec Record) (Answer, error) {
	b := s.Behaviour()
	working, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	stop := s.renewing(working, lose, rec.Lease)
	outcome, err := s.execute(working, call, rec)
	// From here the fencing guards: a renewal that crosses the commit would
	// find the record finished, and take that for a loss.
	stop()
	if err != nil {
		return s.giveUp(call, rec.Lease, err, context.Cause(working))
	}
	now := s.Now()
	err = b.Commit(ctx, s, call, Change{
		Lease: rec.Lease, Answer: &outcome.Answer, Keep: b.Keep(s, call, outcome.Answer),
		Payment: outcome.Payment, Effect: outcome.Effect,
		Now: now, Extend: now.Add(s.options.Retention),
	})
	if err != nil {
		return s.giveUp(call, rec.Lease, err, nil)
	}
	return outcome.Answer, nil
}

// execute runs the handler; a panic is a failure like another.
func (s *Service) execute(ctx context.Context, call *Call, rec Record) (out Outcome, err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		s.options.Log.Error("handler panicked", "cause", cause, "stack", string(debug.Stack()))
		if out, err = (Outcome{Answer: handlerFailed()}), nil; s.options.EffectURL != "" {
			err = errUnknown
		}
	}()
	return s.Behaviour().Execute(ctx, s, call, rec)
}

// giveUp ends a claim whose operation could not be finished. The record is
// released even if the commit's outcome is unknown (its connection died): a
// release leaves a finished record alone.
func (s *Service) giveUp(call *Call, l Lease, err, cause error) (Answer, error) {
	if errors.Is(err, ErrLost) || errors.Is(cause, ErrLost) {
		return Answer{}, ErrLost
	}
	s.options.Log.Warn("operation not finished", "kind", call.Kind, "error", err)
	// The service may be stopping; its own context may be over.
	ctx := context.WithoutCancel(s.base)
	if errors.Is(err, errUnknown) {
		if err := s.store.Yield(ctx, l, s.Now()); err != nil {
			s.options.Log.Warn("yield failed", "error", err)
		}
		return RefuseFor(503, "effect-unknown", "whether the effect happened is not known yet", 1), nil
	}
	if err := s.Behaviour().Release(ctx, s, l); err != nil {
		s.options.Log.Warn("release failed", "error", err)
	}
	return unavailable(), nil
}

// renewing keeps the lease alive until stop is called, three times in its
// length so that one failed renewal loses nothing. lose is told of a loss.
func (s *Service) renewing(ctx context.Context, lose func(error), l Lease) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s.Sleep(ctx, s.options.Lease/3) == nil {
			err := s.Behaviour().Renew(ctx, s, l)
			if errors.Is(err, ErrLost) {
				lose(ErrLost)
				return
			}
			if err != nil && ctx.Err() == nil {
				s.options.Log.Warn("renewal failed", "error", err)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// failOnPurpose is the test hook X-Test-Fail: "always" fails every time, "once"
// the first time that a key is seen, "panic" likewise but by a panic. What was
// seen is kept as a record that no caller's key can reach, and expires with the
// key's retention.
func (s *Service) failOnPurpose(ctx context.Context, call *Call) (bool, error) {
	mode := call.Header.Get("X-Test-Fail")
	switch mode {
	case "always":
		return true, nil
	case "once", "panic":
	default:
		return false, nil
	}
	ask, err := s.ask(call)
	if err != nil {
		return false, err
	}
	ask.Scope.Method = "X-Test-Fail " + ask.Scope.Method
	ask.LeaseUntil = ask.Expires
	_, first, err := s.store.Claim(ctx, ask)
	if err == nil && first && mode == "panic" {
		panic("X-Test-Fail: panic")
	}
	return first, err
}
