package reference

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"
)

// operate serves a request that moves money.
func (s *Service) operate(w http.ResponseWriter, r *http.Request, kind string) {
	started := time.Now()
	caller, refusal := callerOf(r.Header)
	call := newCall(r, kind, caller)
	var answer Answer
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
		if refusal == nil {
			refusal = s.understand(w, r, call)
		}
		if refusal != nil {
			answer = *refusal
		} else {
			answer = s.perform(s.base, call)
		}
	default:
		answer = RefuseFor(503, "overloaded", "too many requests are being worked on", 1)
	}
	s.log(call, answer, time.Since(started))
	s.Behaviour().Deliver(w, s, call, answer)
}

// log tells of a request without its key, token or content.
func (s *Service) log(call *Call, a Answer, took time.Duration) {
	key := ""
	if call.Key != "" {
		key = digest("log/1", call.Key)[:12]
	}
	s.options.Log.Info("operation", "kind", call.Kind, "key_hash", key, "status", a.Status, "took", took)
}

// understand reads a request; nothing is claimed yet.
func (s *Service) understand(w http.ResponseWriter, r *http.Request, call *Call) *Answer {
	b := s.Behaviour()
	b.Arrive(s.base, s, call)
	if refusal := call.read(w, r, s.bodyTime); refusal != nil {
		return refusal
	}
	key, refusal := b.Key(s, call)
	if refusal != nil {
		return refusal
	}
	call.Key = key
	call.Fingerprint = b.Fingerprint(s, call)
	call.WaitUntil = s.options.Clock.Now().Add(s.options.WaitMax)
	return nil
}

// maxLooks bounds how often a request looks at its key. Waiting is bounded by
// time; this ends what a store that never settles would make endless.
const maxLooks = 10_000

// perform claims the key and does what the claim's verdict asks for.
func (s *Service) perform(ctx context.Context, call *Call) Answer {
	b := s.Behaviour()
	for range maxLooks {
		ask, err := s.ask(call)
		if err != nil {
			return unavailable()
		}
		claim, err := b.Claim(ctx, s, call, ask)
		if err != nil {
			s.options.Log.Warn("claim failed", "error", err)
			return unavailable()
		}
		switch claim.Verdict {
		case Finished:
			return b.Replay(ctx, s, call, claim.Record)
		case Mismatch:
			return b.Conflict(ctx, s, call, claim.Record)
		case Busy:
			if answer := b.Busy(ctx, s, call, claim.Record); answer != nil {
				return *answer
			}
		case Won:
			answer, err := s.own(ctx, call, claim.Record)
			if errors.Is(err, ErrLost) {
				continue // another owner took over, or finished: look again
			}
			_ = s.Sleep(ctx, s.options.AnswerDelay)
			return answer
		}
	}
	return unavailable()
}

// ask is the request for the call's key at this moment. A call without a key
// takes one that no caller can send.
func (s *Service) ask(call *Call) (Ask, error) {
	if s.options.Admin {
		if err := s.syncClock(); err != nil {
			return Ask{}, err
		}
	}
	now := s.Now()
	ask := Ask{
		Key: call.Key, Scope: s.Behaviour().Scope(s, call), Fingerprint: call.Fingerprint,
		Owner: s.options.Instance + "/" + rand.Text(),
		Now:   now, LeaseUntil: now.Add(s.options.Lease), Expires: now.Add(s.options.Retention),
	}
	if call.Key == "" {
		ask.Scope, ask.Key = Scope{Caller: call.Caller, Method: "keyless"}, rand.Text()
	}
	return ask, nil
}

// recheck is the slow fallback of a waiter, for what no store can tell it: a
// notification lost with its connection, or an owner in another process on the
// same SQLite file.
const recheck = time.Second

// Await waits until the record may be finished, freed or left by a dead owner.
// It is false when the caller's patience, the caller or the service ended.
func (s *Service) Await(ctx context.Context, call *Call, rec Record) bool {
	left := call.WaitUntil.Sub(s.options.Clock.Now())
	if left <= 0 {
		return false
	}
	changed, stop := s.store.Watch(ctx, rec.Lease.ID)
	defer stop()
	// What happened before the watch began is told to nobody: read again.
	now, found, err := s.store.Find(ctx, rec.Lease.ID)
	if err != nil || !found || now.State != InProgress || now.Lease != rec.Lease {
		return err == nil
	}
	wait := min(left, recheck, now.LeaseUntil.Sub(s.Now()))
	if wait <= 0 {
		return true
	}
	fires, cancel := s.options.Clock.After(wait)
	defer cancel()
	select {
	case <-changed:
		return true
	case <-fires:
		return true
	case <-call.Gone:
	case <-ctx.Done():
	}
	return false
}
