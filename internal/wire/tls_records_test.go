package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// record is a TLS record that the client sent, as a relay saw it come.
type record struct {
	conn, kind, size int
	at               int64
	alone            bool // it came in a read of its own
}

// relay stands before a TLS server and notes the client's records.
type relay struct {
	clock Clock
	mu    sync.Mutex
	seen  []record
	conns int
}

func (r *relay) before(t *testing.T, to Endpoint) Endpoint {
	address := to.address()
	s := serve(t, func(_ *server, conn *net.TCPConn) {
		up, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		defer up.Close()
		r.mu.Lock()
		r.conns++
		n := r.conns
		r.mu.Unlock()
		go func() {
			io.Copy(conn, up)
			conn.CloseWrite()
		}()
		r.forward(n, conn, up)
	})
	to.port = s.port
	return to
}

// forward passes records on, each as it came.
func (r *relay) forward(n int, from io.Reader, to io.Writer) {
	const headSize = 5
	var pending []byte
	chunk := make([]byte, 64<<10)
	for {
		got, err := from.Read(chunk)
		if err != nil {
			return
		}
		at := r.clock()
		fresh := len(pending) == 0
		pending = append(pending, chunk[:got]...)
		for len(pending) >= headSize {
			size := headSize + int(binary.BigEndian.Uint16(pending[3:]))
			if len(pending) < size {
				break
			}
			r.mu.Lock()
			r.seen = append(r.seen, record{n, int(pending[0]), size, at, fresh && len(pending) == size})
			r.mu.Unlock()
			to.Write(pending[:size])
			pending, fresh = pending[size:], false
		}
	}
}

// between gives the records of application data that came from one moment to
// another.
func (r *relay) between(from, to int64) (all []record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.seen {
		if one.kind == 23 && one.at >= from && one.at < to {
			all = append(all, one)
		}
	}
	return all
}

func (r *relay) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = nil
}

// Over TLS everything up to the held end has left in records of its own before
// the release, and one record is left on each connection: the last.
func TestTheLastRecordIsHeld(t *testing.T) {
	sender := client(Options{})
	r := &relay{clock: sender.options.Clock}
	secured := r.before(t, secure(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		io.Copy(io.Discard, q.Body)
		time.Sleep(100 * time.Millisecond) // no answer while records are counted
	}), func(s *httptest.Server) { s.EnableHTTP2 = true }))
	const n = 8
	for _, c := range []struct {
		speaks      Protocol
		hold        Hold
		size        int
		connections int
		least, most int // bytes of a released record, beyond its framing
	}{
		{HTTP1, HoldBody, 100, n, 1, 1},
		{HTTP1, HoldBody, 20_000, n, 1, 1},
		{HTTP1, HoldHeader, 100, n, 102, 102},
		{HTTP2, HoldBody, 100, 1, 10 * n, 10 * n},
		{HTTP2, HoldBody, 3000, 1, 10 * n, 10 * n},
		{HTTP2, HoldHeader, 100, 1, 150 * n, 400 * n},
	} {
		t.Run(fmt.Sprintf("%s, hold %s, %d", c.speaks, c.hold, c.size), func(t *testing.T) {
			// The relay may come too late to see a record before the release.
			eventually(t, func(late *complaints, _ int) {
				r.forget()
				results := sender.Release(background, copies(n, secured.Speaking(c.speaks), sized(c.size)), c.hold)
				first := results[0]
				for _, one := range results {
					if !one.Whole || one.Err != nil {
						t.Fatalf("%+v", one)
					}
					if one.FirstByte < first.FirstByte {
						first = one
					}
				}
				left := r.between(first.Released, first.FirstByte)
				if len(left) != c.connections {
					late.Errorf("%d records after the release, want %d: %v", len(left), c.connections, left)
				}
				const framing = 5 + 16 + 1 // head, tag and kind of TLS 1.3
				for _, one := range left {
					if body := one.size - framing; body < c.least || body > c.most || !one.alone {
						late.Errorf("a record of %d bytes, want %d to %d: %v", body, c.least, c.most, one)
					}
				}
				if before := r.between(0, first.Released); len(before) < c.connections {
					late.Errorf("%d records before the release", len(before))
				}
			})
		})
	}
}
