package wire

import (
	"fmt"

	"golang.org/x/net/http2"
)

// takeSettings obeys what the server sets and acknowledges it (RFC 9113, 6.5).
func (c *shared) takeSettings(f *http2.SettingsFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.signal()
	if f.IsAck() {
		c.acked = true
		return nil
	}
	if err := f.ForeachSetting(c.set); err != nil {
		return err
	}
	c.settled = true
	c.owe.WriteSettingsAck()
	return nil
}

// set takes one setting. mu is held. The frame size is not looked at beyond its
// bounds: no frame is sent that is larger than the least that may be set.
func (c *shared) set(s http2.Setting) error {
	if s.Valid() != nil || s.ID == http2.SettingEnablePush && s.Val != 0 {
		return fault{http2.ErrCodeProtocol, fmt.Sprintf("it gives %s a value that it cannot have", s.ID)}
	}
	switch s.ID {
	case http2.SettingMaxConcurrentStreams:
		c.peer.streams = int64(s.Val)
	case http2.SettingHeaderTableSize:
		c.noTable = c.noTable || s.Val < defaultTable
	case http2.SettingInitialWindowSize:
		change := int64(s.Val) - c.peer.window
		c.peer.window += change
		for _, one := range c.streams {
			if one.window += change; one.window > mostWindow {
				return errTooFar
			}
		}
	}
	return nil
}

// defaultTable is the size of the header table where nothing is set (RFC 9113,
// 6.5.2).
const defaultTable = 4096

var errTooFar = fault{http2.ErrCodeFlowControl, "it opens a window too far"} // RFC 9113, 6.9.1

// takeWindow opens a window (RFC 9113, 6.9).
func (c *shared) takeWindow(f *http2.WindowUpdateFrame) error {
	if f.StreamID == 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.window += int64(f.Increment); c.window > mostWindow {
			return errTooFar
		}
		c.signal()
		return nil
	}
	s, err := c.find(f.StreamID)
	if s == nil {
		return err
	}
	c.mu.Lock()
	s.window += int64(f.Increment)
	far := s.window > mostWindow
	c.signal()
	c.mu.Unlock()
	if far {
		c.giveUp(s, errTooFar.code, errTooFar)
	}
	return nil
}

func (c *shared) takePing(f *http2.PingFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !f.IsAck() {
		c.owe.WritePing(true, f.Data)
	} else if f.Data == pingData {
		c.pinged = true
	}
	c.signal()
}

// takeReset ends a stream that the server wants no more of. After a whole
// answer that is no error: the rest of the request is not wanted (RFC 9113,
// 8.1).
func (c *shared) takeReset(f *http2.RSTStreamFrame) error {
	s, err := c.find(f.StreamID)
	if s != nil {
		s.f.got.unprocessed = f.ErrCode == http2.ErrCodeRefusedStream && !s.f.got.begun
		c.through(s, resetBy(f.ErrCode), true)
		return nil
	}
	c.mu.Lock()
	for _, s := range c.streams {
		s.stopped = s.stopped || s.id == f.StreamID && s.id != 0
	}
	c.mu.Unlock()
	c.conclude()
	return err
}

// takeGoodbye ends the streams that the server says it has not looked at and
// will not; those before it may still be answered (RFC 9113, 6.8).
func (c *shared) takeGoodbye(f *http2.GoAwayFrame) {
	c.mu.Lock()
	c.goaway = true
	var unsent, unseen []*stream
	for _, s := range c.streams {
		switch {
		case s.done:
		case s.id == 0:
			unsent = append(unsent, s)
		case s.id > f.LastStreamID:
			unseen = append(unseen, s)
		}
	}
	c.signal()
	c.mu.Unlock()
	for _, s := range unsent {
		c.through(s, errGoodbye, true)
	}
	for _, s := range unseen {
		s.f.got.unprocessed = !s.f.got.begun
		c.through(s, fmt.Errorf("the server says goodbye (GOAWAY, %s) and that it processed nothing of this stream", codeName(f.ErrCode)), true)
	}
}

// grant gives back to the server's windows what was read of a body, padding
// included, in pieces that are worth a frame.
func (c *shared) grant(f *http2.DataFrame) {
	const worth = 64 << 10
	s, _ := c.find(f.StreamID)
	c.mu.Lock()
	defer c.mu.Unlock()
	give := func(id uint32, read *int) {
		if *read += int(f.Length); *read >= worth {
			c.owe.WriteWindowUpdate(id, uint32(*read))
			*read = 0
			c.signal()
		}
	}
	give(0, &c.granted)
	if s != nil && !f.StreamEnded() {
		give(s.id, &s.answer.grant)
	}
}
