package wire

import (
	"context"
	"slices"
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
	armLimit    = 50 * time.Millisecond  // for the released bytes to be made
)

// Release sends copies at the same moment: each warmed up, all of it but the
// held end written, the rest let go together. Results are in the order of the
// copies, one for each.
//
// Over HTTP/2 copies to one endpoint share a connection, and one write ends
// them all; what the server's stream limit or windows keep out of it goes into
// further connections. There a header hold is whole requests in one write.
//
// What does not go to plan is told in the copy's own result and holds up
// nobody: a connection that cannot be had is refused; a copy whose prefix the
// server would not take in time goes out with the rest, not held; an answer
// that comes before the release ends that copy there, not whole. A copy
// without a body has no body to hold, and its header is held instead.
func (c *Client) Release(ctx context.Context, copies []Copy, h Hold) []Result {
	flights := make([]*flight, len(copies))
	for i, one := range copies {
		flights[i] = c.newFlight(one)
	}
	return c.fly(ctx, flights, c.embark(ctx, flights, h), h)
}

// barrier is what the carriers of one release share.
type barrier struct {
	held  sync.WaitGroup // what goes before the release has gone
	arm   chan struct{}  // closed: make the released bytes ready
	armed sync.WaitGroup // they are
	open  chan struct{}  // closed: the release
	at    int64          // when that was
}

// fly takes the flights through hold, release and answer, and gives the results
// of all, those included that have no carrier.
func (c *Client) fly(ctx context.Context, flights []*flight, carriers []carrier, h Hold) []Result {
	b := &barrier{arm: make(chan struct{}), open: make(chan struct{})}
	for _, one := range carriers {
		one.start(ctx, b)
	}
	await(ctx, &b.held, holdLimit)
	if h != HoldNothing {
		wait(ctx, settle(carriers), nil)
	}
	close(b.arm)
	await(ctx, &b.armed, armLimit)
	// The time for an answer runs from the release on; up to here the bounds of
	// the hold are enough.
	for _, one := range carriers {
		one.line().conn.SetDeadline(time.Now().Add(longest(flights, one) + c.options.Timeout))
	}
	if ctx.Err() == nil {
		b.at = c.options.Clock()
		close(b.open)
	}

	if len(carriers) == 1 {
		// Answers on one connection come about in order: who waits for the last is
		// woken once, and the server has the machine to itself meanwhile.
		for _, f := range slices.Backward(flights) {
			if f.unsent == nil {
				<-f.answered
			}
		}
	}
	results := make([]Result, len(flights))
	for i, f := range flights {
		results[i] = f.finish()
	}
	level(flights, results)
	return results
}

// level gives copies that one write has ended the same end. Where the system
// took it in one go it had ended by the time any of them was answered, however
// late this side noticed.
func level(flights []*flight, results []Result) {
	type write struct {
		of           carrier
		began, ended int64
	}
	alike := map[write][]*Result{}
	for i, f := range flights {
		if s := f.sent; f.unsent == nil && f.stream > 0 && s.whole && s.atOnce {
			w := write{f.carrier, s.began, s.ended}
			alike[w] = append(alike[w], &results[i])
		}
	}
	for w, group := range alike {
		end := w.ended
		for _, r := range group {
			if r.WriteEnded > w.began {
				end = min(end, r.WriteEnded)
			}
		}
		for _, r := range group {
			r.WriteEnded = min(r.WriteEnded, end)
		}
	}
}

// longest is how long after the release the last copy of a carrier is written.
func longest(flights []*flight, of carrier) (after time.Duration) {
	for _, f := range flights {
		if f.carrier == of {
			after = max(after, f.of.After)
		}
	}
	return after
}

// settle is how long the prefixes are given to arrive: that of the farthest
// server.
func settle(carriers []carrier) time.Duration {
	wait := minSettle
	for _, one := range carriers {
		wait = max(wait, time.Duration(settleTrips*float64(one.line().trip)))
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
