package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const secret = "Bearer s3cr3t-of-the-test"

var ping = Message{Method: "POST", Target: "/v1/charges?x=1",
	Header: [][2]string{{"Authorization", secret}, {"Idempotency-Key", "k-1"}},
	Body:   []byte(`{"amount":1999}`)}

// loopback allows what tests need and nothing else.
func loopback(host string) bool { return host == "127.0.0.1" || host == "localhost" }

func client(o Options) *Client {
	if o.AllowHosts == nil {
		o.AllowHosts = loopback
	}
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	return New(o)
}

// complaints are what one try has against a law.
type complaints []string

func (c *complaints) Errorf(format string, args ...any) {
	*c = append(*c, fmt.Sprintf(format, args...))
}

// eventually holds a law that a busy machine can keep from showing, by letting
// somebody come too late. What is right shows in one of a few tries, what is
// wrong in none. What nobody's lateness excuses is the test's own to tell.
func eventually(t *testing.T, law func(c *complaints, try int)) {
	t.Helper()
	var c complaints
	for try := range 6 {
		if c = nil; try > 0 {
			time.Sleep(50 * time.Millisecond << try)
		}
		if law(&c, try); len(c) == 0 {
			return
		}
	}
	t.Error(strings.Join(c, "\n"))
}

// server is a raw TCP server: one goroutine a connection, closed by the test's
// end, before which over is.
type server struct {
	Endpoint
	arrivals atomic.Int64 // requests whose head came whole
	over     chan struct{}
}

func serve(t testing.TB, each func(*server, *net.TCPConn)) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{over: make(chan struct{})}
	if s.Endpoint, err = ParseEndpoint("http://"+l.Addr().String(), nil); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			all.Go(func() {
				defer conn.Close()
				each(s, conn.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() {
		close(s.over)
		l.Close()
		mu.Lock()
		for _, conn := range open {
			conn.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return s
}

// take reads a whole request, and its head alone where body is false.
func (s *server) take(conn net.Conn, body bool) bool {
	r := bufio.NewReader(conn)
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	s.arrivals.Add(1)
	if body {
		_, err = io.Copy(io.Discard, req.Body)
	}
	return err == nil
}

// says answers each whole request with fixed bytes and closes.
func says(t testing.TB, answer string) *server {
	return serve(t, func(s *server, conn *net.TCPConn) {
		if s.take(conn, true) {
			io.WriteString(conn, answer)
		}
	})
}

func noSecret(t *testing.T, r Result) {
	t.Helper()
	if r.Err != nil && strings.Contains(r.Err.Error(), "s3cr3t") {
		t.Errorf("the error shows a secret: %v", r.Err)
	}
}

func inOrder(t *testing.T, times ...int64) {
	t.Helper()
	for i := range times {
		if times[i] <= 0 || i > 0 && times[i] < times[i-1] {
			t.Fatalf("times out of order: %v", times)
		}
	}
}

var discard = log.New(io.Discard, "", 0)

var background = context.Background()
