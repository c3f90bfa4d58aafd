package reference

import (
	"context"
	"time"
)

// Clock is the time the service lives by. Replicas on one database must agree
// on it to well within the lease.
type Clock interface {
	Now() time.Time
	// After fires once d has passed; stop frees what it holds.
	After(d time.Duration) (fires <-chan time.Time, stop func())
}

// SystemClock is the machine's.
type SystemClock struct{}

// Now is the wall clock.
func (SystemClock) Now() time.Time { return time.Now() }

// After is a timer.
func (SystemClock) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// sleep waits for d, or until ctx ends and then returns its cause.
func sleep(ctx context.Context, c Clock, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	fires, stop := c.After(d)
	defer stop()
	select {
	case <-fires:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
