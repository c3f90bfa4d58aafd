package reference

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serving runs a service as idem serve does, until stop; served tells its end.
func serving(t *testing.T, s *Service, drain time.Duration) (url string, stop func(), served <-chan error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(stopped, l, drain) }()
	t.Cleanup(stop)
	return "http://" + l.Addr().String(), stop, done
}

func newServed(t *testing.T, store Store, change func(*Options)) *Service {
	t.Helper()
	o := Defaults()
	if change != nil {
		change(&o)
	}
	s, err := New(store, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAStopLetsRunningRequestsFinish(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		s := newServed(t, open(), g.use)
		url, stop, served := serving(t, s, time.Minute)
		r := &rig{t: t, s: s, url: url}
		replies := make(chan reply)
		for range 2 { // the owner and one that waits for it
			go func() { replies <- r.charge("k", order("o")) }()
		}
		eventually(t, "both requests", func() bool { return len(s.slots) == 2 })
		<-g.entered
		stop()
		eventually(t, "the closed listener", func() bool {
			_, err := r.send(ctx, "GET", "/healthz", "")
			return err != nil
		})
		close(g.open)
		for range 2 {
			(<-replies).want(t, 201, "")
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

func TestAStopGivesUpWhatDoesNotFinishAndFreesItsKey(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate() // never opened
		store := open()
		s := newServed(t, store, g.use)
		url, stop, served := serving(t, s, 50*time.Millisecond)
		r := &rig{t: t, s: s, url: url}
		replies := make(chan reply)
		for range 2 {
			go func() { replies <- r.charge("k", order("o")) }()
		}
		eventually(t, "both requests", func() bool { return len(s.slots) == 2 })
		<-g.entered
		stop()
		for range 2 {
			if got := <-replies; got.status < 400 || got.header.Get("Retry-After") == "" {
				t.Errorf("given up with %d %v", got.status, got.header)
			}
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if n := records(t, store); n != 0 {
			t.Errorf("%d records left in the way", n)
		}
		next := newRig(t, store, newTestClock(), func(o *Options) { o.InFlight = "reject" })
		next.charge("k", order("o")).want(t, 201, "")
		next.wantEffects("o", 1)
	})
}

func TestServeEndsWhenItsListenerDoes(t *testing.T) {
	s := newServed(t, mustOpen(t, "sqlite:memory"), nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := s.Serve(ctx, l, time.Second); err == nil {
		t.Error("served on a closed listener")
	}
}

// TestABodyHeldBackIsNotARequestYet holds the last byte back: nothing may be
// claimed before the request is whole, and the caller is still there after.
func TestABodyHeldBackIsNotARequestYet(t *testing.T) {
	store := mustOpen(t, "sqlite:memory")
	r := newRig(t, store, newTestClock(), nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := order("o")
	fmt.Fprintf(conn, "POST /v1/charges HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body[:len(body)-1])
	first := r.charge("k", body).want(t, 201, "")
	if _, err := io.WriteString(conn, body[len(body)-1:]); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	reply{resp.StatusCode, resp.Header, string(text)}.replayed(t, first)
	r.wantEffects("o", 1)
}

// TestATornBodyIsNotARequest hangs up in mid body.
func TestATornBodyIsNotARequest(t *testing.T) {
	store := mustOpen(t, "sqlite:memory")
	r := newRig(t, store, newTestClock(), nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	body := order("o")
	fmt.Fprintf(conn, "POST /v1/charges HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: %d\r\n\r\n%s", len(body)+1, body)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	conn.Close()
	if err != nil || resp.StatusCode != 400 {
		t.Errorf("answered %v, %v", resp, err)
	}
	if n := records(t, store); n != 0 {
		t.Errorf("%d records", n)
	}
	r.wantEffects("o", 0)
}

// TestASlowBodyIsRefusedAndAQuickOneMayWait: the time-out is the body's alone,
// and not taken for the caller's hanging up once the body is there.
func TestASlowBodyIsRefusedAndAQuickOneMayWait(t *testing.T) {
	g := newGate()
	r := newRig(t, mustOpen(t, "sqlite:memory"), newTestClock(), g.use)
	r.s.bodyTime = 100 * time.Millisecond
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/charges HTTP/1.1\r\nHost: x\r\nIdempotency-Key: slow\r\nContent-Length: 100\r\n\r\n{")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != 408 {
		t.Errorf("answered %v, %v", resp, err)
	}
	replies := make(chan reply)
	for range 2 {
		go func() { replies <- r.charge("k", order("o")) }()
	}
	eventually(t, "the owner's renewal and the waiter's timer", func() bool { return r.clock.waiting() == 2 })
	time.Sleep(2 * r.s.bodyTime)
	close(g.open)
	for range 2 {
		(<-replies).want(t, 201, "")
	}
}

func TestTooManyRequestsAtOnceAreRefused(t *testing.T) {
	g := newGate()
	r := newRig(t, mustOpen(t, "sqlite:memory"), newTestClock(), g.use)
	r.s.slots = make(chan struct{}, 1)
	done := make(chan reply)
	go func() { done <- r.charge("k", order("o")) }()
	<-g.entered
	r.charge("k2", order("o2")).want(t, 503, "overloaded")
	close(g.open)
	(<-done).want(t, 201, "")
	r.charge("k2", order("o2")).want(t, 201, "")
}
