package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

func copies(n int, to Endpoint, m Message) []Copy {
	all := make([]Copy, n)
	for i := range all {
		all[i] = Copy{Endpoint: to, Message: m}
	}
	return all
}

// Nobody's end goes out before everybody's beginning is written, and the held
// part is what it says. The server's side of a pipe takes bytes only when it
// reads, so one late reader must hold up all others.
func TestNobodyIsReleasedBeforeAllAreHeld(t *testing.T) {
	for _, h := range []Hold{HoldBody, HoldHeader} {
		t.Run(string(h), func(t *testing.T) {
			c := client(Options{})
			to, _ := ParseEndpoint("http://127.0.0.1:1", nil)
			var flights []*flight
			var carriers []carrier
			var ends []net.Conn
			for range 5 {
				f := c.newFlight(Copy{Endpoint: to, Message: ping})
				ours, theirs := net.Pipe()
				flights, ends = append(flights, f), append(ends, theirs)
				carriers = append(carriers, newAlone(&link{conn: ours, protocol: overHTTP1}, f, h))
			}
			raw, split := carriers[0].(*alone).raw, carriers[0].(*alone).split
			results := make(chan []Result, 1)
			go func() { results <- c.fly(background, flights, carriers, h) }()

			var released atomic.Int64
			var all sync.WaitGroup
			read := func(end net.Conn) {
				got := make([]byte, split)
				if _, err := io.ReadFull(end, got); err != nil || !bytes.Equal(got, raw[:split]) {
					t.Errorf("prefix %q, %v", got, err)
				}
				all.Go(func() {
					tail := make([]byte, len(raw)-split)
					if _, err := io.ReadFull(end, tail); err != nil || !bytes.Equal(tail, raw[split:]) {
						t.Errorf("tail %q, %v", tail, err)
					}
					released.Add(1)
					io.WriteString(end, fullAnswer)
					end.Close()
				})
			}
			for _, end := range ends[1:] {
				read(end)
			}
			time.Sleep(50 * time.Millisecond)
			if n := released.Load(); n != 0 {
				t.Fatalf("%d copies were released while one was not yet held", n)
			}
			read(ends[0])
			all.Wait()
			for i, r := range <-results {
				if r.Outcome != trace.Answered || r.Hold != h || !r.Whole || r.Early() {
					t.Errorf("copy %d: %+v", i, r)
				}
			}
		})
	}
}

func TestReleaseOverTCP(t *testing.T) {
	for _, h := range []Hold{HoldNothing, HoldBody, HoldHeader} {
		t.Run("hold "+string(h), func(t *testing.T) {
			s := says(t, fullAnswer)
			results := client(Options{}).Release(background, copies(30, s.Endpoint, ping), h)
			for i, r := range results {
				if r.Outcome != trace.Answered || r.Hold != h || !r.Whole || r.Early() || string(r.Body) != `{"id":"c-1"}` {
					t.Errorf("copy %d: %+v", i, r)
				}
				inOrder(t, r.WriteBegan, r.WriteEnded, r.FirstByte, r.LastByte)
			}
			if n := len(connections(results)); n != 30 || s.arrivals.Load() != 30 {
				t.Errorf("%d connections, %d arrivals", n, s.arrivals.Load())
			}
		})
	}
}

func TestReleaseWithoutBodyHoldsTheHeader(t *testing.T) {
	s := says(t, fullAnswer)
	for _, r := range client(Options{}).Release(background, copies(2, s.Endpoint, Message{Method: "POST", Target: "/"}), HoldBody) {
		if r.Outcome != trace.Answered || r.Hold != HoldHeader {
			t.Errorf("%+v", r)
		}
	}
	if n := len(client(Options{}).Release(background, nil, HoldBody)); n != 0 {
		t.Errorf("%d results of no copies", n)
	}
}

// One result for each copy, whatever becomes of the others, and each is told
// as what it is.
func TestReleaseAmongHostilePeers(t *testing.T) {
	nobody, _ := ParseEndpoint("http://127.0.0.1:1", nil)
	good := says(t, fullAnswer)
	early := serve(t, func(s *server, conn *net.TCPConn) {
		s.take(conn, false)
		io.WriteString(conn, "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
		io.Copy(io.Discard, conn)
	})
	resets := serve(t, func(s *server, conn *net.TCPConn) {
		s.take(conn, false)
		conn.SetLinger(0)
	})
	mute := serve(t, func(s *server, conn *net.TCPConn) {
		s.take(conn, true)
		io.Copy(io.Discard, conn)
	})
	deaf := serve(t, func(s *server, _ *net.TCPConn) { <-s.over })

	r := client(Options{Timeout: 2 * time.Second}).Release(background, []Copy{
		{Endpoint: nobody, Message: ping}, {Endpoint: early.Endpoint, Message: ping}, {Endpoint: resets.Endpoint, Message: ping},
		{Endpoint: mute.Endpoint, Message: ping}, {Endpoint: deaf.Endpoint, Message: sized(32 << 20)}, {Endpoint: good.Endpoint, Message: ping},
	}, HoldBody)
	for i, ok := range []bool{
		r[0].Outcome == trace.Refused && r[0].Err != nil,
		r[1].Outcome == trace.Answered && r[1].Status == 401 && r[1].Early() && !r[1].Whole,
		(r[2].Outcome == trace.Reset || r[2].Outcome == trace.Refused) && !r[2].Whole,
		r[3].Outcome == trace.TimedOut && r[3].Whole && r[3].Hold == HoldBody,
		r[4].Outcome == trace.TimedOut && !r[4].Whole && r[4].Hold == HoldNothing,
		r[5].Outcome == trace.Answered && r[5].Hold == HoldBody && r[5].Whole && !r[5].Early(),
	} {
		if !ok {
			t.Errorf("copy %d: %+v", i, r[i])
		}
	}
}

func TestReleaseAfter(t *testing.T) {
	s := says(t, fullAnswer)
	all := copies(3, s.Endpoint, ping)
	var written atomic.Int64
	for i := range all {
		all[i].After = time.Duration(2-i) * 30 * time.Millisecond
		all[i].Written = func() { written.Add(1) }
	}
	began := time.Now()
	c := client(Options{Clock: func() int64 { return int64(time.Since(began)) }})
	for i, r := range c.Release(background, all, HoldNothing) {
		if r.Outcome != trace.Answered || r.WriteBegan < int64(all[i].After) {
			t.Errorf("copy %d: %s, written %d ns after the beginning, %v", i, r.Outcome, r.WriteBegan, r.Err)
		}
	}
	if written.Load() != 3 {
		t.Errorf("%d copies told that they were written", written.Load())
	}
}

func TestContextEndsARelease(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	s := serve(t, func(s *server, conn *net.TCPConn) {
		if s.take(conn, false); s.arrivals.Load() == 3 {
			cancel()
		}
		io.Copy(io.Discard, conn)
	})
	all := copies(3, s.Endpoint, ping)
	for i := range all {
		all[i].After = time.Minute
	}
	for i, r := range client(Options{}).Release(ctx, all, HoldBody) {
		if r.Outcome != trace.Reset || r.Whole || !errors.Is(r.Err, context.Canceled) {
			t.Errorf("copy %d: %+v", i, r)
		}
	}
	if s.arrivals.Load() > 3 {
		t.Errorf("%d arrivals", s.arrivals.Load())
	}
}
