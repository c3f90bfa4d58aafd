package wire

import (
	"context"
	"sync"
)

// embark gives every flight a connection, or the reason why it has none.
func (c *Client) embark(ctx context.Context, flights []*flight, h Hold) []carrier {
	e := &embarking{client: c, ctx: ctx, hold: h}
	shared := map[Endpoint][]*flight{}
	for _, f := range flights {
		switch {
		case f.unsent != nil:
			f.refuse(f.unsent)
		case f.shares():
			to := f.of.Endpoint
			to.base = "" // which makes no other connection
			shared[to] = append(shared[to], f)
		default:
			e.all.Go(func() { e.open([]*flight{f}) })
		}
	}
	for _, group := range shared {
		e.all.Go(func() { e.share(group) })
	}
	e.all.Wait()
	return e.carriers
}

// shares: a copy that is written at a time of its own, or hangs up, must not
// take others with it.
func (f *flight) shares() bool {
	to := f.of.Endpoint
	return (to.speaks == HTTP2 || to.speaks == Negotiated && to.secure) &&
		!f.of.Apart && f.of.After == 0 && f.of.HangUp.When == Never
}

// embarking is the making of the connections of one release.
type embarking struct {
	client *Client
	ctx    context.Context
	hold   Hold
	all    sync.WaitGroup

	mu       sync.Mutex
	carriers []carrier
}

// share takes copies that may share a connection to as few as the server lets
// it be. Each takes one at least, or refuses it, so this comes to an end.
func (e *embarking) share(flights []*flight) {
	each, left := e.open(flights)
	for len(left) > 0 && e.ctx.Err() == nil {
		var round sync.WaitGroup
		var mu sync.Mutex
		var over []*flight
		for from := 0; from < len(left); from += each {
			some := left[from:min(from+each, len(left))]
			round.Go(func() {
				_, rest := e.open(some)
				mu.Lock()
				defer mu.Unlock()
				over = append(over, rest...)
			})
		}
		round.Wait()
		left, each = over, 1
	}
	for _, f := range left {
		f.refuse(context.Cause(e.ctx))
	}
}

// open connects and lets the connection take what it can. It gives how many
// that was, and the others; where nothing could be had all are refused.
func (e *embarking) open(flights []*flight) (took int, left []*flight) {
	l, err := e.client.dial(e.ctx, flights[0].of.Endpoint)
	if err != nil {
		for _, f := range flights {
			f.refuse(err)
		}
		return len(flights), nil
	}
	l.watch(e.ctx)
	if l.protocol == overHTTP1 {
		e.add(newAlone(l, flights[0], e.hold))
		return 1, flights[1:]
	}
	shared := newShared(e.client, l)
	left, err = shared.board(e.ctx, flights, e.hold)
	if err != nil {
		shared.close()
		for _, f := range flights {
			f.refuse(err)
		}
		return len(flights), nil
	}
	e.add(shared)
	return len(flights) - len(left), left
}

func (e *embarking) add(one carrier) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.carriers = append(e.carriers, one)
}
