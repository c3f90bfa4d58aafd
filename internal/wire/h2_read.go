package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// metered reads a connection for a framer. It notes when bytes last came, and
// bounds what one frame, with those that continue it, may take.
type metered struct {
	stamped
	r      *bufio.Reader
	budget int
	failed error // of the connection
}

func newMetered(l *link, clock Clock) *metered {
	m := &metered{stamped: stamped{conn: l.conn, clock: clock}}
	m.r = bufio.NewReaderSize(&m.stamped, 16<<10)
	return m
}

func (m *metered) framer() *http2.Framer {
	f := http2.NewFramer(nil, m)
	f.SetMaxReadFrameSize(frameSize)
	f.SetReuseFrames()
	f.MaxHeaderListSize = maxHead
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	return f
}

func (m *metered) Read(b []byte) (int, error) {
	if m.budget <= 0 {
		return 0, errLargeHead
	}
	n, err := m.r.Read(b[:min(len(b), m.budget)])
	m.budget -= n
	if err != nil {
		m.failed = err
	}
	return n, err
}

// fault is what the server does against the protocol, for which the connection
// ends (RFC 9113, 5.4.1).
type fault struct {
	code http2.ErrCode
	says string
}

func (f fault) Error() string { return "the server breaks HTTP/2: " + f.says }

// read reads until the connection ends, and tells every stream that was not
// through why.
func (c *shared) read() {
	err := c.readAll()
	c.mu.Lock()
	c.over = err
	var open []*stream
	for _, s := range c.streams {
		if !s.done {
			open = append(open, s)
		}
	}
	c.signal()
	c.mu.Unlock()
	for _, s := range open {
		end := errNoAnswer
		switch {
		case s.answer.final:
			end = errCutBody
		case s.f.got.begun:
			end = errCutHead
		}
		c.through(s, closed(err, end), true)
	}
}

func (c *shared) readAll() error {
	if err := c.meet(); err != nil {
		return err
	}
	for {
		c.in.budget = maxHead + 2*frameSize
		header, err := c.ours.ReadFrameHeader()
		at := c.in.at
		var frame http2.Frame
		if err == nil {
			frame, err = c.ours.ReadFrameForHeader(header)
		}
		var one http2.StreamError
		switch {
		case errors.As(err, &one):
			err = c.fail(header, one.Code, at)
		case err != nil:
			c.half(header, at)
			return c.broken(err)
		default:
			err = c.take(frame, at)
		}
		if err == nil {
			err = c.patient()
		}
		if err != nil {
			return err
		}
	}
}

// meet reads what must come first, the server's SETTINGS, and words what comes
// from one that does not speak HTTP/2.
func (c *shared) meet() error {
	c.in.budget = 2 * frameSize
	begin, err := c.in.r.Peek(len("HTTP/"))
	switch {
	case string(begin) == "HTTP/":
		return errLikeHTTP1
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errHungUpOn
	case err != nil:
		return errNotMet(err)
	}
	frame, err := c.ours.ReadFrame()
	settings, ok := frame.(*http2.SettingsFrame)
	switch {
	case err != nil && c.in.failed != nil:
		return errNotMet(c.in.failed)
	case err != nil || !ok || settings.IsAck():
		return errNoPreface
	}
	return c.take(frame, c.in.at)
}

func errNotMet(err error) error {
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return errSilent
	}
	return fmt.Errorf("before the server showed that it speaks HTTP/2: %w", err)
}

// broken words why no more frames can be read: the connection ended, or the
// server broke the protocol. What it sent is not repeated.
func (c *shared) broken(err error) error {
	var connection http2.ConnectionError
	switch {
	case errors.Is(err, errLargeHead):
		return fault{http2.ErrCodeEnhanceYourCalm, errLargeHead.Error()}
	case errors.Is(err, http2.ErrFrameTooLarge):
		return fault{http2.ErrCodeFrameSize, "a frame is larger than it may be"}
	case errors.As(err, &connection):
		return fault{http2.ErrCode(connection), "it sent what is a " + codeName(http2.ErrCode(connection))}
	case c.in.failed != nil:
		return err
	}
	return fault{http2.ErrCodeProtocol, "a frame cannot be read"}
}

// half notes that an answer had begun where its head broke off.
func (c *shared) half(header http2.FrameHeader, at int64) {
	if s, _ := c.find(header.StreamID); s != nil && header.Type == http2.FrameHeaders && !s.answer.final {
		a := &s.f.got
		a.begun, a.first = true, at
		s.answer.last = c.in.at
	}
}

// patient bounds how many frames in a row may bring nothing forward, and what
// is owed to a peer that does not read.
func (c *shared) patient() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle++; c.idle > mostIdle || c.owed.Len() > mostOwed {
		return fault{http2.ErrCodeEnhanceYourCalm, "it floods the connection with frames that say nothing"}
	}
	return nil
}

// find gives the stream of a frame; nil where nothing more is expected on it.
func (c *shared) find(id uint32) (*stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id%2 == 0 || id >= c.next {
		return nil, fault{http2.ErrCodeProtocol, "a frame is of a stream that was not opened"}
	}
	for _, s := range c.streams {
		if s.id == id && !s.done {
			return s, nil
		}
	}
	return nil, nil
}

// take takes one frame; an error ends the connection.
func (c *shared) take(frame http2.Frame, at int64) error {
	switch f := frame.(type) {
	case *http2.MetaHeadersFrame:
		return c.onStream(f.StreamID, func(s *stream) (bool, error) { return s.takeHead(f, at) })
	case *http2.DataFrame:
		c.grant(f)
		return c.onStream(f.StreamID, func(s *stream) (bool, error) { return s.takeData(f) })
	case *http2.RSTStreamFrame:
		return c.takeReset(f)
	case *http2.GoAwayFrame:
		c.takeGoodbye(f)
	case *http2.SettingsFrame:
		return c.takeSettings(f)
	case *http2.WindowUpdateFrame:
		return c.takeWindow(f)
	case *http2.PingFrame:
		c.takePing(f)
	case *http2.PushPromiseFrame:
		return fault{http2.ErrCodeProtocol, "it pushes, which was turned off"}
	}
	return nil // what is not known is read over (RFC 9113, 5.5)
}

// onStream lets a stream take a frame of its answer.
func (c *shared) onStream(id uint32, take func(*stream) (ended bool, err error)) error {
	s, err := c.find(id)
	if s == nil {
		return err
	}
	size, final := s.f.got.size, s.answer.final
	ended, err := take(s)
	s.answer.last = c.in.at
	if s.f.got.size > size || s.answer.final != final {
		c.mu.Lock()
		c.idle = 0
		c.mu.Unlock()
	}
	switch {
	case err != nil:
		c.giveUp(s, http2.ErrCodeProtocol, err)
	case ended:
		c.through(s, s.whole(), false)
	}
	return nil
}

// fail ends a stream for a frame that concerns it alone (RFC 9113, 5.4.2).
func (c *shared) fail(of http2.FrameHeader, code http2.ErrCode, at int64) error {
	s, err := c.find(of.StreamID)
	if s == nil {
		return err
	}
	if of.Type != http2.FrameHeaders {
		c.giveUp(s, code, fault{code, "it sent what is a " + codeName(code)})
		return nil
	}
	c.half(of, at)
	c.giveUp(s, code, errMalformed)
	return nil
}

func (c *shared) giveUp(s *stream, code http2.ErrCode, err error) {
	c.mu.Lock()
	c.drop(s, code)
	c.mu.Unlock()
	c.through(s, err, true)
}

// through ends the reading of a stream; err is nil where its answer came whole.
// Where the stream is no more, writing stops too.
func (c *shared) through(s *stream, err error, stop bool) {
	a := &s.f.got
	a.err, a.ended = err, c.client.options.Clock()
	if a.begun {
		a.last = s.answer.last
	}
	c.mu.Lock()
	s.done = true
	s.stopped = s.stopped || stop
	c.signal()
	c.mu.Unlock()
	close(s.f.answered)
	c.conclude()
}
