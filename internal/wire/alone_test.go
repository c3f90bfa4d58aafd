package wire

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// No copy asks for the close, held or not, so that the server has nothing to
// close while others arrive, and a signature covers the same bytes.
func TestNobodyAsksForTheClose(t *testing.T) {
	for _, h := range []Hold{HoldNothing, HoldBody, HoldHeader} {
		var asked atomic.Int64
		s := serve(t, func(_ *server, conn *net.TCPConn) {
			r, err := http.ReadRequest(bufio.NewReader(conn))
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			if r.Close {
				asked.Add(1)
			}
			io.WriteString(conn, fullAnswer)
			io.Copy(io.Discard, conn) // ends with the client's close alone
		})
		for i, r := range client(Options{}).Release(background, copies(3, s.Endpoint, ping), h) {
			if r.Outcome != trace.Answered || r.Hold != h {
				t.Errorf("hold %q, copy %d: %+v", h, i, r)
			}
		}
		if r := client(Options{}).Send(background, s.Endpoint, ping); r.Outcome != trace.Answered {
			t.Errorf("alone: %+v", r)
		}
		if asked.Load() != 0 {
			t.Errorf("hold %q: %d asked for the close", h, asked.Load())
		}
	}
}

// A released copy's connection is not closed on its answer, in whatever order
// answers come; and it does not stay.
func TestConnectionsOutliveTheirAnswers(t *testing.T) {
	const n = 5
	var opened atomic.Int64
	ends := make(chan time.Duration, n)
	s := serve(t, func(_ *server, conn *net.TCPConn) {
		turn := opened.Add(1)
		if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			io.Copy(io.Discard, r.Body)
		}
		time.Sleep(time.Duration(turn*7%n) * time.Millisecond)
		answered := time.Now()
		io.WriteString(conn, fullAnswer)
		io.Copy(io.Discard, conn)
		ends <- time.Since(answered)
	})
	for i, r := range client(Options{}).Release(background, copies(n, s.Endpoint, ping), HoldBody) {
		if r.Outcome != trace.Answered {
			t.Errorf("copy %d: %+v", i, r)
		}
	}
	for range n {
		if took := <-ends; took < lull {
			t.Errorf("closed %s after the answer", took)
		}
	}
}

// A server that takes a connection only when it has done with the one before,
// and keeps each open for as long as its client does, gets all copies even so.
func TestReleaseToAServerOfOneConnectionAtATime(t *testing.T) {
	var turn sync.Mutex
	s := serve(t, func(_ *server, conn *net.TCPConn) {
		turn.Lock()
		defer turn.Unlock()
		for in := bufio.NewReader(conn); ; {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			io.WriteString(conn, fullAnswer)
		}
	})
	c := client(Options{Timeout: 20 * time.Second})
	began := time.Now()
	for i, r := range c.Release(background, copies(10, s.Endpoint, ping), HoldBody) {
		if r.Outcome != trace.Answered || r.Hold != HoldBody || r.Early() {
			t.Errorf("copy %d: %+v", i, r)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
