package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

const fullAnswer = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"id\":\"c-1\"}"

// A connection that dies anywhere in the answer is never an answer, and never
// a second request: Go's own client would send this one again.
func TestEndAtEveryByteOfTheAnswer(t *testing.T) {
	for _, how := range []string{"closed", "reset"} {
		for n := range len(fullAnswer) + 1 {
			t.Run(fmt.Sprintf("%s after %d", how, n), func(t *testing.T) {
				t.Parallel()
				s := serve(t, func(s *server, conn *net.TCPConn) {
					s.take(conn, true)
					io.WriteString(conn, fullAnswer[:n])
					if how == "reset" {
						conn.SetLinger(0)
					}
				})
				r := client(Options{}).Send(background, s.Endpoint, ping)
				whole := n == len(fullAnswer)
				switch {
				case how == "reset" && whole && r.Outcome != trace.Answered && r.Err != nil:
					// A reset may overtake what was sent before it.
				case whole != (r.Outcome == trace.Answered), whole != (r.Err == nil):
					t.Fatalf("outcome %s, %v", r.Outcome, r.Err)
				case n == 0 && r.Outcome != trace.Reset:
					t.Fatalf("no byte came, outcome %s", r.Outcome)
				case how == "closed" && n > 0 && !whole && r.Outcome != trace.Cut:
					t.Fatalf("%d bytes came, outcome %s", n, r.Outcome)
				}
				if !r.Whole || s.arrivals.Load() != 1 {
					t.Fatalf("whole %v, %d arrivals", r.Whole, s.arrivals.Load())
				}
				noSecret(t, r)
			})
		}
	}
}

func TestCloseBeforeTheRequestIsRead(t *testing.T) {
	s := serve(t, func(*server, *net.TCPConn) {})
	r := client(Options{}).Send(background, s.Endpoint, ping)
	if r.Outcome != trace.Reset && r.Outcome != trace.Refused || r.Err == nil {
		t.Fatalf("outcome %s, %v", r.Outcome, r.Err)
	}
	if (r.Outcome == trace.Refused) != (r.WriteEnded == 0 || !r.Whole) {
		t.Fatalf("refused means that nothing was sent: %+v", r)
	}
}

func TestNobodyListens(t *testing.T) {
	to, _ := ParseEndpoint("http://127.0.0.1:1", nil)
	r := client(Options{}).Send(background, to, ping)
	if r.Outcome != trace.Refused || r.Err == nil || r.Connection != 0 || r.WriteBegan != 0 {
		t.Fatalf("%+v", r)
	}
}

func TestHostsThatAreNotAllowed(t *testing.T) {
	s := says(t, fullAnswer)
	other, _ := ParseEndpoint("http://production.invalid", nil)
	for name, c := range map[string]struct {
		allow func(string) bool
		to    Endpoint
	}{
		"other host": {loopback, other},
		"none given": {nil, s.Endpoint},
		"no host":    {loopback, Endpoint{}},
	} {
		r := New(Options{AllowHosts: c.allow}).Send(background, c.to, ping)
		if r.Outcome != trace.Refused || r.Err == nil || s.arrivals.Load() != 0 {
			t.Errorf("%s: %s, %v", name, r.Outcome, r.Err)
		}
		var dns *net.DNSError
		if errors.As(r.Err, &dns) {
			t.Errorf("%s: the name was resolved: %v", name, r.Err)
		}
	}
}

func TestUnsendableMessageIsRefused(t *testing.T) {
	s := says(t, fullAnswer)
	bad := ping
	bad.Header = [][2]string{{"X", "a\r\nb"}}
	r := client(Options{}).Send(background, s.Endpoint, bad)
	if r.Outcome != trace.Refused || s.arrivals.Load() != 0 {
		t.Fatalf("%s, %v", r.Outcome, r.Err)
	}
}

func TestRedirectsAreAnswers(t *testing.T) {
	other := says(t, fullAnswer)
	s := says(t, "HTTP/1.1 307 Temporary Redirect\r\nLocation: "+other.String()+"/\r\nContent-Length: 0\r\n\r\n")
	r := client(Options{}).Send(background, s.Endpoint, ping)
	if r.Status != 307 || other.arrivals.Load() != 0 {
		t.Fatalf("status %d, %d went on", r.Status, other.arrivals.Load())
	}
}

func TestEndlessAnswers(t *testing.T) {
	forever := func(start, again string, pause time.Duration) func(*server, *net.TCPConn) {
		return func(s *server, conn *net.TCPConn) {
			s.take(conn, true)
			_, err := io.WriteString(conn, start)
			for err == nil {
				time.Sleep(pause)
				_, err = io.WriteString(conn, again)
			}
		}
	}
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, c := range map[string]struct {
		start, again string
		pause        time.Duration
		want         trace.Outcome
	}{
		"fields":       {ok, "X: " + strings.Repeat("y", 1000) + "\r\n", 0, trace.Cut},
		"one field":    {ok + "X: ", strings.Repeat("y", 1000), 0, trace.Cut},
		"body":         {ok + "\r\n", strings.Repeat("z", 1<<16), 0, trace.TimedOut},
		"chunks":       {ok + "Transfer-Encoding: chunked\r\n\r\n", "5\r\nabcde\r\n", 0, trace.TimedOut},
		"trailers":     {ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X: " + strings.Repeat("y", 1000) + "\r\n", 0, trace.Cut},
		"dripped head": {"H", "T", 20 * time.Millisecond, trace.TimedOut},
		"dripped body": {ok + "Content-Length: 100000\r\n\r\n", "x", 20 * time.Millisecond, trace.TimedOut},
		"interim":      {"", "HTTP/1.1 102 Processing\r\n\r\n", 0, trace.Reset},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, forever(c.start, c.again, c.pause))
			began := time.Now()
			o := Options{Timeout: 2 * time.Second, MaxBody: 1000}
			if c.want != trace.TimedOut {
				o.Timeout = time.Minute
			}
			r := client(o).Send(background, s.Endpoint, ping)
			if r.Outcome != c.want || r.Err == nil {
				t.Fatalf("outcome %s, %v", r.Outcome, r.Err)
			}
			if name == "body" && (len(r.Body) != 1000 || r.BodySize <= 1000) {
				t.Errorf("kept %d of %d", len(r.Body), r.BodySize)
			}
			if (r.FirstByte == 0) != (name == "interim") {
				t.Errorf("first byte at %d", r.FirstByte)
			}
			if took := time.Since(began); took > 50*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestNeverAnswers(t *testing.T) {
	s := serve(t, func(s *server, conn *net.TCPConn) {
		s.take(conn, true)
		io.Copy(io.Discard, conn)
	})
	r := client(Options{Timeout: 500 * time.Millisecond}).Send(background, s.Endpoint, ping)
	if r.Outcome != trace.TimedOut || !r.Whole || r.FirstByte != 0 {
		t.Fatalf("%+v", r)
	}
}

func TestHalfClosedByTheServer(t *testing.T) {
	s := serve(t, func(s *server, conn *net.TCPConn) {
		s.take(conn, true)
		conn.CloseWrite()
		io.Copy(io.Discard, conn)
	})
	r := client(Options{}).Send(background, s.Endpoint, ping)
	if r.Outcome != trace.Reset || !r.Whole {
		t.Fatalf("outcome %s, whole %v, %v", r.Outcome, r.Whole, r.Err)
	}
}

// An answer that comes before a large request is whole is kept, whether the
// server then resets or just stops reading.
func TestEarlyAnswers(t *testing.T) {
	for name, after := range map[string]func(*net.TCPConn){
		"then reset":       func(conn *net.TCPConn) { conn.SetLinger(0) },
		"then reads never": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var pause atomic.Int64
			s := serve(t, func(s *server, conn *net.TCPConn) {
				s.take(conn, false)
				io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
				if after == nil {
					<-s.over
					return
				}
				time.Sleep(time.Duration(pause.Load()))
				after(conn)
			})
			eventually(t, func(late *complaints, try int) {
				pause.Store(int64(50 * time.Millisecond << try)) // a reset overtakes what nobody has read yet
				r := client(Options{Timeout: 10 * time.Second}).Send(background, s.Endpoint, sized(32<<20))
				if r.Outcome != trace.Answered || r.Status != 413 || r.Whole || !r.Early() {
					late.Errorf("outcome %s, status %d, whole %v, early %v, %v", r.Outcome, r.Status, r.Whole, r.Early(), r.Err)
				}
			})
		})
	}
}

func TestContextEndsASend(t *testing.T) {
	s := serve(t, func(s *server, conn *net.TCPConn) {
		s.take(conn, true)
		io.Copy(io.Discard, conn)
	})
	ctx, cancel := context.WithCancel(background)
	sent := make(chan struct{})
	go func() {
		<-sent
		cancel()
	}()
	r := client(Options{Timeout: time.Minute}).SendCopy(ctx, Copy{Endpoint: s.Endpoint, Message: ping, Written: func() { close(sent) }})
	if r.Outcome != trace.Reset || !errors.Is(r.Err, context.Canceled) || !r.Whole {
		t.Fatalf("outcome %s, %v", r.Outcome, r.Err)
	}
	r = client(Options{}).Send(ctx, s.Endpoint, ping)
	if r.Outcome != trace.Refused || !errors.Is(r.Err, context.Canceled) {
		t.Fatalf("after the end: outcome %s, %v", r.Outcome, r.Err)
	}
}

func TestDrop(t *testing.T) {
	arrived := make(chan string, 8)
	s := serve(t, func(s *server, conn *net.TCPConn) {
		if !s.take(conn, true) {
			return
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
		_, err := conn.Read(make([]byte, 1))
		arrived <- fmt.Sprint(err)
	})
	for _, c := range []struct {
		h    HangUp
		want trace.Outcome
		sees string
	}{
		{HangUp{When: InAnswer}, trace.Cut, ""},
		{HangUp{When: InAnswer, After: 5 * time.Millisecond, Abort: true}, trace.Cut, "reset"},
		{HangUp{When: AfterWrite, Abort: true}, "", "reset"},
		{HangUp{When: AfterWrite}, "", ""},
	} {
		r := client(Options{}).Drop(background, s.Endpoint, ping, c.h)
		if !errors.Is(r.Err, ErrHungUp) || !r.Whole || c.want != "" && r.Outcome != c.want {
			t.Errorf("%+v: outcome %s, whole %v, %v", c.h, r.Outcome, r.Whole, r.Err)
		}
		if r.Outcome != trace.Cut && r.Outcome != trace.Reset {
			t.Errorf("%+v: outcome %s", c.h, r.Outcome)
		}
		if c.h.When == AfterWrite && c.h.Abort {
			continue // the reset may come before the request is read
		}
		if sees := <-arrived; !strings.Contains(sees, c.sees) {
			t.Errorf("%+v: the server saw %q", c.h, sees)
		}
	}
	// A hang-up that would come after the answer's end does not come.
	s = says(t, fullAnswer)
	r := client(Options{}).Drop(background, s.Endpoint, ping, HangUp{When: AfterWrite, After: time.Minute})
	if r.Outcome != trace.Answered || s.arrivals.Load() != 1 {
		t.Errorf("late hang-up: %s, %v", r.Outcome, r.Err)
	}
}

// Nothing goes on once a result is there.
func TestNothingIsLeftRunning(t *testing.T) {
	s := serve(t, func(s *server, conn *net.TCPConn) {
		s.take(conn, true)
		io.WriteString(conn, fullAnswer[:20])
	})
	before := runtime.NumGoroutine()
	for range 20 {
		client(Options{}).Send(background, s.Endpoint, ping)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before+1 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
