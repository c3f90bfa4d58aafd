package wire

import (
	"context"
	"sync"
	"time"
)

// Bounds of a hold. The settle lets every prefix reach its server; it never
// waits for TCP to acknowledge, which a peer may delay by 40 ms (release,
// Design).
const (
	holdLimit   = 2 * time.Second        // for all prefixes to be written
	minSettle   = time.Millisecond       // on loopback
	maxSettle   = 500 * time.Millisecond // however far the server is
	settleTrips = 1.5                    // elsewhere, in round trips
)

// Release sends copies at the same moment: each on a warmed connection, all of
// it but the held end written, the rest let go together. Results are in the
// order of the copies, one for each.
//
// What does not go to plan is told in the copy's own result and holds up
// nobody: a connection that cannot be had is refused; a copy whose prefix the
// server would not take in time goes out with the rest, not held; an answer
// that comes before the release ends that copy there, not whole. A copy
// without a body has no body to hold, and its header is held instead.
func (c *Client) Release(ctx context.Context, copies []Copy, h Hold) []Result {
	flights := make([]*flight, len(copies))
	for i, one := range copies {
		flights[i] = c.newFlight(one, h)
	}
	return c.fly(ctx, flights, openAll(ctx, flights), h)
}

// fly takes the flights that could open a connection through hold, release and
// answer, and gives the results of all.
func (c *Client) fly(ctx context.Context, flights, open []*flight, h Hold) []Result {
	release := make(chan struct{})
	var prefixed sync.WaitGroup
	prefixed.Add(len(open))
	for _, f := range open {
		f.start(ctx, prefixed.Done, release)
	}
	await(ctx, &prefixed, holdLimit)
	if h != HoldNothing {
		wait(ctx, settle(open), nil)
	}
	// The time for an answer runs from the release on; up to here the bounds of
	// the hold are enough.
	for _, f := range open {
		f.conn.SetDeadline(time.Now().Add(f.of.After + c.options.Timeout))
	}
	if ctx.Err() == nil {
		close(release)
	}

	results := make([]Result, len(flights))
	for i, f := range flights {
		results[i] = f.finish()
	}
	return results
}

// openAll connects all flights side by side and gives those that could.
func openAll(ctx context.Context, flights []*flight) []*flight {
	var all sync.WaitGroup
	able := make([]bool, len(flights))
	for i, f := range flights {
		all.Go(func() { able[i] = f.open(ctx) })
	}
	all.Wait()
	var open []*flight
	for i, f := range flights {
		if able[i] {
			open = append(open, f)
		}
	}
	return open
}

// settle is how long the prefixes are given to arrive: that of the farthest
// server.
func settle(open []*flight) time.Duration {
	wait := minSettle
	for _, f := range open {
		wait = max(wait, time.Duration(settleTrips*float64(f.trip)))
	}
	return min(wait, maxSettle)
}

// await waits for a group, but no longer than a limit.
func await(ctx context.Context, group *sync.WaitGroup, limit time.Duration) {
	all := make(chan struct{})
	go func() {
		group.Wait()
		close(all)
	}()
	wait(ctx, limit, all)
}
