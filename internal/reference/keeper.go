package reference

import (
	"context"
	"crypto/rand"
	"time"
)

// orphanBatch bounds the intents that one round reconciles.
const orphanBatch = 16

// keep sweeps and reconciles until ctx ends.
func (s *Service) keep(ctx context.Context) {
	every := s.options.SweepEvery
	if s.options.EffectURL != "" {
		every = min(every, s.options.Lease)
	}
	swept := time.Time{}
	for {
		s.Reconcile(ctx)
		if now := s.options.Clock.Now(); now.Sub(swept) >= s.options.SweepEvery {
			swept = now
			s.sweep(ctx)
		}
		if s.Sleep(ctx, every) != nil {
			return
		}
	}
}

func (s *Service) sweep(ctx context.Context) {
	n, err := s.Behaviour().Sweep(ctx, s)
	switch {
	case err != nil && ctx.Err() == nil:
		s.options.Log.Warn("sweep failed", "error", err)
	case n > 0:
		s.options.Log.Info("swept", "records", n)
	}
}

// Reconcile finishes operations whose owner died between intent and result, so
// that they do not depend on the caller's coming back. A record that another
// replica, or the caller's retry, takes over first is left to it.
func (s *Service) Reconcile(ctx context.Context) {
	if s.options.EffectURL == "" {
		return
	}
	orphans, err := s.store.Orphans(ctx, s.Now(), orphanBatch)
	if err != nil {
		if ctx.Err() == nil {
			s.options.Log.Warn("looking for orphans failed", "error", err)
		}
		return
	}
	for _, rec := range orphans {
		now := s.Now()
		taken, won, err := s.store.Claim(ctx, Ask{
			Key: rec.Key, Scope: rec.Scope, Fingerprint: rec.Fingerprint,
			Owner: s.options.Instance + "/" + rand.Text(),
			Now:   now, LeaseUntil: now.Add(s.options.Lease), Expires: now.Add(s.options.Retention),
		})
		if err != nil || !won || taken.Intent == nil {
			continue
		}
		call := &Call{Scope: rec.Scope, Kind: "reconciled", Key: rec.Key, Fingerprint: rec.Fingerprint}
		answer, err := s.own(ctx, call, taken)
		s.options.Log.Info("reconciled", "status", answer.Status, "error", err)
	}
}
