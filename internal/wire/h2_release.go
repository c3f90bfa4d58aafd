package wire

import (
	"context"
	"time"

	"golang.org/x/net/http2"
)

// start lets the copies go at once, or takes them through hold and release.
func (c *shared) start(ctx context.Context, b *barrier) {
	if b == nil {
		c.mu.Lock()
		for _, s := range c.streams {
			s.gate = wide
		}
		c.signal()
		c.mu.Unlock()
		return
	}
	b.held.Add(1)
	b.armed.Add(1)
	go func() {
		c.hold(ctx)
		b.held.Done()
		select {
		case <-b.arm:
		case <-ctx.Done():
		}
		c.release(ctx, b)
	}()
}

// hold waits until all prefixes have gone, and then for the server to say that
// it has them: it answers a PING in the order in which it reads.
func (c *shared) hold(ctx context.Context) {
	until := time.Now().Add(holdLimit)
	none := true
	c.until(ctx, holdLimit, func() bool {
		waits := false
		for _, s := range c.streams {
			none = none && s.gate == shut
			waits = waits || s.gate == prefix && !s.stopped && !s.done && !c.held(s)
		}
		return !waits || c.over != nil || c.mute != nil
	})
	if none {
		return
	}
	c.mu.Lock()
	c.owe.WritePing(false, pingData)
	c.signal()
	c.mu.Unlock()
	c.until(ctx, time.Until(until), func() bool { return c.pinged || c.over != nil || c.mute != nil })
}

var pingData = [8]byte{'r', 'e', 'l', 'e', 'a', 's', 'e'}

// release puts the ends of all copies into one batch, waits for the barrier and
// writes it. A copy with a time of its own is alone here, and is put together
// when its time has come.
func (c *shared) release(ctx context.Context, b *barrier) {
	own := c.streams[0].f
	if after := own.of.After; after > 0 {
		b.armed.Done()
		if !c.opened(ctx, b) || !wait(ctx, after, own.answered) {
			c.ground()
			return
		}
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	holds := c.gather()
	if own.of.After == 0 {
		b.armed.Done()
		if !c.opened(ctx, b) {
			c.ground()
			return
		}
	}
	c.mu.Lock()
	for i, s := range c.streams {
		if s.busy && holds[i] != HoldNothing {
			s.f.sent.hold = holds[i]
			s.f.sent.began = 0 // what counts is the released part
		}
	}
	c.mu.Unlock()
	if c.out.bytes.Len() > 0 {
		c.write(c.writeOnce)
	}
	c.conclude()
}

// gather opens all gates and puts together what is to be released. It gives
// where each copy was held. wmu is held.
//
// All heads come before all bodies: a server that begins with a request at its
// head has begun with every copy when the first body is there, and what is left
// between the first and the last is a small frame for each, as under a body
// hold.
func (c *shared) gather() []Hold {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.reset()
	c.out.most = 2 * mostAtOnce
	holds := make([]Hold, len(c.streams))
	for i, s := range c.streams {
		if s.done { // answered before it was whole
			c.drop(s, http2.ErrCodeCancel)
			continue
		}
		if c.held(s) {
			holds[i] = s.hold
		}
		s.gate = wide
	}
	for _, put := range []func(*batch, *stream){c.putHead, c.putBody} {
		for _, s := range c.streams {
			from := c.out.bytes.Len()
			put(&c.out, s)
			c.out.note(s, from)
		}
	}
	for i, s := range c.streams {
		if !s.ended {
			holds[i] = HoldNothing
		}
	}
	c.signal()
	return holds
}

// opened waits for the barrier and reports whether it was opened.
func (c *shared) opened(ctx context.Context, b *barrier) bool {
	select {
	case <-b.open:
	case <-ctx.Done():
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		if !s.concluded {
			s.f.sent.released = b.at
		}
	}
	return true
}

// ground leaves unwritten what was not released.
func (c *shared) ground() {
	c.mu.Lock()
	for _, s := range c.streams {
		if s.busy {
			s.ended = false
		}
		s.busy, s.stopped = false, true
	}
	c.mu.Unlock()
	c.conclude()
}
