package wire

import (
	"bytes"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idem-toolkit/idem/internal/trace"
)

// scripted is a connection whose server sends its settings, and the rest once
// the requests have been written.
type scripted struct {
	net.Conn
	hello, rest io.Reader
	asked       chan struct{}
}

func (s *scripted) Read(b []byte) (int, error) {
	if n, err := s.hello.Read(b); err == nil {
		return n, nil
	}
	<-s.asked
	return s.rest.Read(b)
}

func (s *scripted) Write(b []byte) (int, error)      { return len(b), nil }
func (s *scripted) Close() error                     { return nil }
func (s *scripted) SetDeadline(time.Time) error      { return nil }
func (s *scripted) SetWriteDeadline(time.Time) error { return nil }

// play gives what two copies of a request come to where a server says that.
func play(raw []byte, maxBody int64) []Result {
	var hello bytes.Buffer
	http2.NewFramer(&hello, nil).WriteSettings()
	c := client(Options{MaxBody: maxBody, Timeout: 5 * time.Second})
	conn := &scripted{hello: &hello, rest: bytes.NewReader(raw), asked: make(chan struct{})}
	var asked sync.WaitGroup
	asked.Add(2)
	go func() {
		asked.Wait()
		close(conn.asked)
	}()
	to, _ := ParseEndpoint("http://127.0.0.1:1", nil)
	var flights []*flight
	for range 2 {
		flights = append(flights, c.newFlight(Copy{Endpoint: to.Speaking(HTTP2), Message: ping, Written: asked.Done}))
	}
	shared := newShared(c, &link{conn: conn, protocol: overHTTP2})
	if left, err := shared.board(background, flights, HoldNothing); err != nil || len(left) > 0 {
		panic(err)
	}
	shared.start(background, nil)
	return []Result{flights[0].finish(), flights[1].finish()}
}

// FuzzHTTP2: nothing that comes back breaks the reader, and what it calls whole
// is what the frames say.
func FuzzHTTP2(f *testing.F) {
	seed := func(write func(*frames)) {
		var b bytes.Buffer
		write(&frames{Framer: http2.NewFramer(&b, nil)})
		f.Add(b.Bytes())
	}
	seed(func(f *frames) { f.answer(1, "[]"); f.answer(3, "{}") })
	seed(func(f *frames) { f.head(3, false, ":status", "103"); f.answer(3, "{}"); f.WriteRSTStream(3, 0) })
	seed(func(f *frames) {
		f.head(1, false, ":status", "200", "content-length", "3")
		f.WriteDataPadded(1, false, []byte("abc"), make([]byte, 9))
		f.head(1, true, "trailer", "x")
	})
	seed(func(f *frames) { f.WriteGoAway(1, 0, nil); f.head(1, true, ":status", "204") })
	seed(func(f *frames) {
		f.WriteSettings(http2.Setting{ID: 4, Val: 0})
		f.WriteWindowUpdate(1, 9)
		f.WritePing(true, pingData)
	})
	seed(func(f *frames) { f.WriteRSTStream(1, http2.ErrCodeRefusedStream); f.WriteRSTStream(3, 0) })
	seed(func(f *frames) {
		b := block(":status", "200", "a", "b")
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:1]})
		f.WriteContinuation(1, true, b[1:])
	})
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	f.Add([]byte{})

	f.Fuzz(func(t *testing.T, raw []byte) {
		for i, r := range play(raw, 64) {
			if len(r.Body) > 64 || int64(len(r.Body)) > r.BodySize || (r.Err == nil) != (r.Outcome == trace.Answered) || !r.Whole {
				t.Fatalf("%+v", r)
			}
			if r.Outcome != trace.Answered {
				continue
			}
			status, size := legible(raw, uint32(2*i+1))
			if r.Status != status || r.BodySize != size {
				t.Fatalf("stream %d: %d with %d bytes; the frames say %d with %d", r.Stream, r.Status, r.BodySize, status, size)
			}
		}
	})
}

// legible reads the frames of one stream as simply as can be.
func legible(raw []byte, id uint32) (status int, size int64) {
	f := http2.NewFramer(nil, bytes.NewReader(raw))
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := f.ReadFrame()
		if _, one := err.(http2.StreamError); one {
			continue
		}
		if err != nil {
			return 0, 0
		}
		if frame.Header().StreamID != id {
			continue
		}
		switch one := frame.(type) {
		case *http2.MetaHeadersFrame:
			if n, err := strconv.Atoi(one.PseudoValue("status")); err == nil {
				status = n
			}
		case *http2.DataFrame:
			size += int64(len(one.Data()))
		}
		type ender interface{ StreamEnded() bool }
		if one, ok := frame.(ender); ok && one.StreamEnded() {
			return status, size
		}
	}
}
