package wire

import (
	"bytes"
	"context"

	"golang.org/x/net/http2"
)

// gate is how much of a copy may go out.
type gate int

const (
	shut   gate = iota // nothing
	prefix             // all but the last byte of the body
	wide               // all
)

// stream is one copy on a shared connection. All but f.got, which the reading
// side has for itself, is guarded by the connection's mu.
type stream struct {
	f     *flight
	id    uint32 // 0 until its HEADERS are written
	block []byte
	body  []byte
	hold  Hold
	gate  gate

	window    int64
	sent      int  // bytes of the body that were put into a write
	ended     bool // so was END_STREAM
	busy      bool // a write that has some of it is not done
	stopped   bool // no more of it will be written
	done      bool // nothing more will be read
	concluded bool // the flight was told that nothing more is written
	answer    reading
}

func newStream(ctx context.Context, f *flight, h Hold) *stream {
	s := &stream{f: f, body: f.of.Message.Body}
	s.answer.began = f.atAnswer(ctx)
	s.answer.keep = &keeper{answer: &f.got, max: f.client.options.MaxBody}
	s.block = encodeBlock(f.of.Endpoint, f.of.Message)
	switch {
	case h == HoldBody && len(s.body) > 0:
		s.hold, s.gate = HoldBody, prefix
	case h != HoldNothing:
		s.hold = HoldWhole
	}
	return s
}

// size is about how many bytes the whole request takes.
func (s *stream) size() int64 { return int64(len(s.block) + len(s.body) + 32) }

// batch is what one write takes.
type batch struct {
	bytes  bytes.Buffer
	frames *http2.Framer // writes to bytes
	parts  []part
	most   int // bytes, roughly
}

// part is the bytes of a batch that belong to a stream.
type part struct {
	s        *stream
	from, to int
	end      bool // with END_STREAM
}

func (b *batch) reset() {
	if b.bytes.Cap() > 4*mostOwed {
		b.bytes = bytes.Buffer{}
	}
	b.bytes.Reset()
	b.parts = b.parts[:0]
}

// limit is how many bytes of the body may be sent by now.
func (s *stream) limit() int {
	switch s.gate {
	case shut:
		return 0
	case prefix:
		return max(0, len(s.body)-1)
	}
	return len(s.body)
}

// held reports whether all that goes before the release has gone and the rest
// could go at once. mu is held.
func (c *shared) held(s *stream) bool {
	switch s.hold {
	case HoldWhole:
		return s.id == 0
	case HoldBody:
		return s.id != 0 && !s.busy && s.sent == len(s.body)-1 && s.window > 0 && c.window > 0
	}
	return false
}

// put adds to a batch what may go out of a stream now, within its windows. Both
// locks are held.
func (c *shared) put(b *batch, s *stream) {
	from := b.bytes.Len()
	c.putHead(b, s)
	c.putBody(b, s)
	b.note(s, from)
}

// note puts down that the bytes of a batch from a place on belong to a stream,
// where there are any. mu is held.
func (b *batch) note(s *stream, from int) {
	if to := b.bytes.Len(); to > from {
		s.busy = true
		b.parts = append(b.parts, part{s, from, to, s.ended})
	}
}

func (c *shared) mayOpen() bool {
	open := int64(0)
	for _, s := range c.streams {
		if s.id != 0 && !(s.done && (s.ended || s.stopped)) {
			open++
		}
	}
	return !c.goaway && open < c.peer.streams
}

// putHead opens the stream, if it may be now: HEADERS and as many CONTINUATION
// frames as it needs.
func (c *shared) putHead(b *batch, s *stream) {
	if s.id != 0 || s.gate == shut || s.stopped || !c.mayOpen() || b.bytes.Len() >= b.most {
		return
	}
	s.id, c.next = c.next, c.next+2
	s.f.stream = int(s.id)
	block := s.block
	if c.noTable && !c.said {
		block, c.said = append([]byte{noTable}, block...), true
	}
	s.ended = len(s.body) == 0
	first := block[:min(len(block), frameSize)]
	block = block[len(first):]
	b.frames.WriteHeaders(http2.HeadersFrameParam{
		StreamID: s.id, BlockFragment: first, EndStream: s.ended, EndHeaders: len(block) == 0})
	for len(block) > 0 {
		next := block[:min(len(block), frameSize)]
		block = block[len(next):]
		b.frames.WriteContinuation(s.id, len(block) == 0, next)
	}
}

// putBody adds what may go out of the body of a stream that is open.
func (c *shared) putBody(b *batch, s *stream) {
	if s.id == 0 || s.stopped {
		return
	}
	for s.sent < s.limit() {
		n := min(int64(s.limit()-s.sent), frameSize, s.window, c.window)
		if n <= 0 || b.bytes.Len() >= b.most {
			break
		}
		next := s.sent + int(n)
		s.ended = next == len(s.body)
		b.frames.WriteData(s.id, s.ended, s.body[s.sent:next])
		s.sent, s.window, c.window, c.idle = next, s.window-n, c.window-n, 0
	}
}

// pump writes what is owed to the peer and what its windows let out, until
// nothing more can be.
func (c *shared) pump() {
	for range c.wake {
		for c.flush() {
		}
		c.mu.Lock()
		over := c.over != nil || c.mute != nil
		c.mu.Unlock()
		if over {
			break
		}
	}
	c.mu.Lock()
	if c.mute == nil {
		c.mute = c.over
	}
	for _, s := range c.streams {
		s.stopped = true
	}
	c.mu.Unlock()
	c.conclude()
}

// flush writes once, and reports whether it had anything to write.
func (c *shared) flush() bool {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	c.mu.Lock()
	c.out.reset()
	if c.mute == nil {
		c.out.most = mostOwed
		c.out.bytes.Write(c.owed.Bytes())
		c.owed.Reset()
		for _, s := range c.streams {
			c.put(&c.out, s)
		}
	}
	some := c.out.bytes.Len() > 0
	c.mu.Unlock()
	if some {
		c.write(c.conn.Write)
	}
	return some
}

// write writes the batch in one call and notes for every part of it what went
// and when. wmu is held.
func (c *shared) write(how func([]byte) (int, error)) {
	clock := c.client.options.Clock
	began := clock()
	n, err := how(c.out.bytes.Bytes())
	ended := clock()
	c.mu.Lock()
	for _, p := range c.out.parts {
		went := min(max(n-p.from, 0), p.to-p.from)
		p.s.f.sent.note(began, ended, went, err)
		p.s.f.sent.atOnce = p.to <= mostAtOnce
		p.s.f.sent.whole = p.end && went == p.to-p.from
		p.s.busy = false
	}
	if err != nil {
		c.mute = err
		for _, s := range c.streams {
			s.stopped = true
		}
	}
	c.signal()
	c.mu.Unlock()
	c.conclude()
}

// drop gives a stream up and tells the server. mu is held.
func (c *shared) drop(s *stream, code http2.ErrCode) {
	if s.id != 0 && !s.stopped && c.over == nil {
		c.owe.WriteRSTStream(s.id, code)
	}
	s.stopped = true
	c.signal()
}

// conclude tells the flights of which nothing more will be written.
func (c *shared) conclude() {
	c.mu.Lock()
	var through []*flight
	for _, s := range c.streams {
		if !s.concluded && !s.busy && (s.ended || s.stopped) {
			s.concluded = true
			through = append(through, s.f)
		}
	}
	c.mu.Unlock()
	for _, f := range through {
		if f.of.HangUp.When == AfterWrite && f.of.HangUp.After > 0 {
			go f.wrote(c.ctx) // which waits
			continue
		}
		f.wrote(c.ctx)
	}
}
