package wire

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"
)

// Bounds of an HTTP/2 connection.
const (
	frameSize  = 16 << 10               // the least that a peer must take, and the most we send (RFC 9113, 4.2)
	ourWindow  = 1 << 20                // of each stream: how much of an answer may be on its way
	firstWin   = 65535                  // both windows before anything is said (RFC 9113, 6.9.2)
	mostWindow = 1<<31 - 1              // RFC 9113, 6.9.1
	mostAtOnce = 64 << 10               // bytes of whole requests that leave in one write: more than a peer takes at once would not arrive at once
	ackLimit   = 500 * time.Millisecond // for our settings to be acknowledged
	roomLimit  = 250 * time.Millisecond // for a window or the stream limit to open
	mostIdle   = 10_000                 // frames that bring nothing forward, in a row
	mostOwed   = 64 << 10               // bytes of replies that the peer does not read
)

// shared is a connection that carries one copy or more, over HTTP/2. One
// goroutine reads and one writes; whoever writes holds wmu, and takes mu for as
// long as it puts frames together. mu is never held while anything blocks.
type shared struct {
	*link
	client *Client
	ctx    context.Context
	in     *metered
	ours   *http2.Framer // reads

	wmu sync.Mutex
	out batch // guarded by wmu

	mu      sync.Mutex
	changed chan struct{} // closed and made anew at every change that is waited for
	wake    chan struct{} // holds a token while there may be something to write
	streams []*stream     // in the order of their ids, once they have one
	next    uint32        // id of the next stream
	left    int           // copies that are not through
	peer    peer
	window  int64 // what the connection may still be sent of bodies
	owed    bytes.Buffer
	owe     *http2.Framer // writes to owed
	settled bool          // the server's first SETTINGS came
	acked   bool          // ours were acknowledged
	pinged  bool          // our PING was answered
	goaway  bool          // no new streams
	over    error         // why nothing more is read
	mute    error         // why nothing more is written
	noTable bool          // the server's table is small: the next header block is to say that none is used
	said    bool          // one has
	idle    int           // frames in a row that brought nothing forward
	granted int           // bytes of bodies read and not yet given back to the window
}

// peer is what the server's SETTINGS say.
type peer struct {
	streams int64 // how many at once
	window  int64 // of a new stream
}

func newShared(c *Client, l *link) *shared {
	s := &shared{link: l, client: c, changed: make(chan struct{}), wake: make(chan struct{}, 1),
		next: 1, window: firstWin, peer: peer{streams: mostWindow, window: firstWin}}
	s.in = newMetered(l, c.options.Clock)
	s.ours = s.in.framer()
	s.out.frames = http2.NewFramer(&s.out.bytes, nil)
	s.owe = http2.NewFramer(&s.owed, nil)
	return s
}

func (c *shared) line() *link { return c.link }

// signal tells all that wait for a change, and the writer where there may be
// something to write: each waking takes time from a server on the same machine,
// and most changes are answers to a burst. mu is held.
func (c *shared) signal() {
	close(c.changed)
	c.changed = make(chan struct{})
	if !c.mayWrite() {
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// mayWrite reports whether the writer has anything to look at, its end included.
// mu is held.
func (c *shared) mayWrite() bool {
	if c.owed.Len() > 0 || c.over != nil || c.mute != nil {
		return true
	}
	return slices.ContainsFunc(c.streams, func(s *stream) bool { return !s.ended && !s.stopped })
}

// until waits for something to become so, which is asked with mu held, and
// reports whether it did.
func (c *shared) until(ctx context.Context, limit time.Duration, so func() bool) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		c.mu.Lock()
		done, changed := so(), c.changed
		c.mu.Unlock()
		if done {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// greet exchanges the prefaces (RFC 9113, 3.4). Nothing else is sent before the
// server's SETTINGS have come: it may not speak HTTP/2 at all.
func (c *shared) greet(ctx context.Context) error {
	c.ctx = ctx
	limit := c.client.options.Timeout
	c.conn.SetDeadline(time.Now().Add(limit))
	var hello bytes.Buffer
	hello.WriteString(http2.ClientPreface)
	http2.NewFramer(&hello, nil).WriteSettings(
		http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: ourWindow},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHead})
	http2.NewFramer(&hello, nil).WriteWindowUpdate(0, 16*ourWindow)
	if _, err := c.conn.Write(hello.Bytes()); err != nil {
		return errNotMet(err)
	}
	go c.read()
	c.until(ctx, limit, func() bool { return c.settled || c.over != nil })
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.settled:
		c.conn.SetDeadline(time.Time{})
		go c.pump()
		return nil
	case c.over != nil:
		return c.over
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return errSilent
}

var (
	errSilent    = errors.New("the server sent no SETTINGS in time: it does not seem to speak HTTP/2")
	errLikeHTTP1 = errors.New("the server does not speak HTTP/2: it answered like HTTP/1")
	errNoPreface = errors.New("the server does not speak HTTP/2: its first frame is not SETTINGS")
	errHungUpOn  = errors.New("the server does not speak HTTP/2: it closed the connection before its SETTINGS")
	errNoStreams = errors.New("the server allows no stream (SETTINGS_MAX_CONCURRENT_STREAMS is 0)")
	errGoodbye   = errors.New("the server said goodbye (GOAWAY) before anything of the request was sent")
)

// board greets the server and takes copies as its stream limit and windows have
// room; what goes before a release is on its way then. It gives back the
// others, of which nothing was sent; an error says why there was room for none.
func (c *shared) board(ctx context.Context, flights []*flight, h Hold) (left []*flight, err error) {
	if err := c.greet(ctx); err != nil {
		return flights, err
	}
	var streams []*stream
	for _, f := range flights {
		streams = append(streams, newStream(ctx, f, h))
	}
	// The windows that the server opens with come right behind its settings.
	if !c.takes(streams) {
		c.until(ctx, ackLimit, func() bool { return c.acked || c.over != nil })
	}
	c.mu.Lock() // so that nothing is sent, and refused, before all are taken on that can be
	for _, s := range streams {
		c.admit(s)
	}
	c.mu.Unlock()
	deadline := time.Now().Add(roomLimit)
	for _, s := range streams {
		if s.f.carrier == nil {
			c.until(ctx, time.Until(deadline), func() bool { return c.admit(s) || !c.mayAdmit(s) })
		}
		if s.f.carrier == nil {
			left = append(left, s.f)
		}
	}
	if len(left) < len(flights) {
		return left, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return left, context.Cause(ctx)
	case c.over != nil:
		return left, c.over
	case c.goaway:
		return left, errGoodbye
	}
	return left, errNoStreams
}

// takes reports whether there is room for all streams as things are.
func (c *shared) takes(streams []*stream) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := c.window
	for _, s := range streams {
		room -= int64(len(s.body))
		if int64(len(s.body)) > c.peer.window {
			return false
		}
	}
	return room >= 0 && int64(len(streams)) <= c.peer.streams
}

// mayAdmit reports whether room may come by waiting: streams that are held do
// not end, but bodies that are sent make the server open its window. mu is
// held.
func (c *shared) mayAdmit(s *stream) bool {
	n := int64(len(c.streams))
	return c.over == nil && !c.goaway && (n == 0 || s.gate == prefix && n < c.peer.streams)
}

// admit takes a copy on if there is room for it. Bodies share the connection's
// window, the held bytes too, so a copy that would not fit beside the others
// takes another connection; alone it waits for the window as it is sent. mu is
// held.
func (c *shared) admit(s *stream) bool {
	if c.over != nil || c.goaway || int64(len(c.streams)) >= c.peer.streams {
		return false
	}
	room, all := c.window, s.size()
	for _, other := range c.streams {
		room -= int64(len(other.body) - other.sent)
		all += other.size()
	}
	body := int64(len(s.body))
	if len(c.streams) > 0 && (body > room || s.gate == shut && all > mostAtOnce) {
		return false
	}
	if s.hold == HoldWhole && (body > min(room, c.peer.window) || s.size() > mostAtOnce) {
		// It cannot leave in one write: what does not fit goes out before.
		s.hold, s.gate = HoldBody, prefix
	}
	s.window = c.peer.window
	s.f.carrier = c
	c.streams = append(c.streams, s)
	c.left++
	c.signal()
	return true
}

// quit stops writing a copy whose answer has ended. One that is in the middle of
// a write that the server does not take is cut off there, unless others would
// be with it: those have until their time is over.
func (c *shared) quit(f *flight) {
	c.mu.Lock()
	for _, s := range c.streams {
		if s.f == f && !s.ended {
			c.drop(s, http2.ErrCodeCancel)
		}
	}
	c.mu.Unlock()
	c.conclude()
	c.mu.Lock()
	stuck := true
	for _, s := range c.streams {
		stuck = stuck && (s.done || s.concluded) && (s.f != f || !s.concluded)
	}
	c.mu.Unlock()
	if stuck {
		c.conn.SetWriteDeadline(time.Now())
	}
}

// leave closes the connection behind the last copy, with the goodbye that is
// due (RFC 9113, 5.4) unless the peer takes nothing more.
func (c *shared) leave(*flight) {
	c.mu.Lock()
	c.left--
	var broken fault
	last, polite := c.left == 0, c.over == nil && c.mute == nil
	if errors.As(c.over, &broken) {
		polite = true
	}
	c.mu.Unlock()
	if !last {
		return
	}
	if polite && c.wmu.TryLock() {
		c.conn.SetWriteDeadline(time.Now().Add(patience))
		http2.NewFramer(c.conn, nil).WriteGoAway(0, broken.code, nil)
		c.wmu.Unlock()
	}
	c.close()
}
