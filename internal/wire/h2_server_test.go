package wire

import (
	"bytes"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// frames is the server's side of an HTTP/2 connection, frame by frame.
type frames struct {
	*http2.Framer
	conn  *net.TCPConn
	s     *server
	quiet bool // answers no PING
}

// serveFrames starts a server that reads the preface, sends its settings and
// leaves the rest to each.
func serveFrames(t testing.TB, settings []http2.Setting, each func(*frames)) *server {
	s := serve(t, func(s *server, conn *net.TCPConn) {
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(conn, preface); err != nil || string(preface) != http2.ClientPreface {
			return
		}
		f := &frames{Framer: http2.NewFramer(conn, conn), conn: conn, s: s}
		f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		f.WriteSettings(settings...)
		each(f)
		conn.CloseWrite() // so that what was said arrives before the end
		io.Copy(io.Discard, conn)
	})
	s.Endpoint = s.Speaking(HTTP2)
	return s
}

// next gives the next frame that is not about the connection, and answers those
// that are; nil at the end.
func (f *frames) next() http2.Frame {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return nil
		}
		switch one := frame.(type) {
		case *http2.SettingsFrame:
			if !one.IsAck() {
				f.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !one.IsAck() && !f.quiet {
				f.WritePing(true, one.Data)
			}
		case *http2.WindowUpdateFrame:
		default:
			return frame
		}
	}
}

// heads reads until so many requests have begun, and gives the last stream.
func (f *frames) heads(n int) (last uint32) {
	for n > 0 {
		frame := f.next()
		if frame == nil {
			return 0
		}
		if _, ok := frame.(*http2.MetaHeadersFrame); ok {
			f.s.arrivals.Add(1)
			last = frame.Header().StreamID
			n--
		}
	}
	return last
}

// request reads until a request is whole and gives its stream; 0 at the end.
func (f *frames) request() uint32 {
	for {
		switch one := f.next().(type) {
		case nil:
			return 0
		case *http2.MetaHeadersFrame:
			f.s.arrivals.Add(1)
			if one.StreamEnded() {
				return one.StreamID
			}
		case *http2.DataFrame:
			if one.StreamEnded() {
				return one.StreamID
			}
		}
	}
}

// head writes a head: names and values in turn.
func (f *frames) head(id uint32, end bool, fields ...string) {
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block(fields...), EndHeaders: true, EndStream: end})
}

func (f *frames) answer(id uint32, body string) {
	f.head(id, false, ":status", "201", "content-type", "application/json")
	f.WriteData(id, true, []byte(body))
}

func block(fields ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(fields); i += 2 {
		e.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return b.Bytes()
}

// drain reads until the client is gone.
func (f *frames) drain() {
	for f.next() != nil {
	}
}

func says2(t testing.TB, what func(f *frames, id uint32)) *server {
	return serveFrames(t, nil, func(f *frames) {
		if id := f.request(); id != 0 {
			what(f, id)
		}
	})
}
