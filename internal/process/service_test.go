//go:build unix

package process

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/wire"
)

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func ready(t *testing.T, addr, path string) Ready {
	t.Helper()
	to, err := wire.ParseEndpoint("http://"+addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := wire.New(wire.Options{AllowHosts: func(host string) bool { return host == "127.0.0.1" }})
	return Ready{Client: c, Endpoint: to, Path: path}
}

// pidAt asks the service at an address who it is.
func pidAt(t *testing.T, addr string) int {
	t.Helper()
	answer := ready(t, addr, "/healthz").ask(context.Background())
	pid, err := strconv.Atoi(string(answer.Body))
	if err != nil {
		t.Fatalf("%q, %v", answer.Body, answer.Err)
	}
	return pid
}

func service(t *testing.T, addr string, env ...string) *Service {
	t.Helper()
	s := NewService(role("serve", append([]string{"TEST_ADDR", addr}, env...)...), ready(t, addr, "/healthz"))
	t.Cleanup(func() { s.Stop(0) })
	return s
}

func TestServiceIsKilledAndStartedAgain(t *testing.T) {
	ctx, addr := context.Background(), freeAddr(t)
	s := service(t, addr, "TEST_DELAY", "30ms")
	seen := map[int]bool{}
	for range 3 {
		pid, err := s.Start(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AwaitReady(ctx, 20*time.Second); err != nil {
			t.Fatal(err)
		}
		if at := pidAt(t, addr); at != pid || pid != s.PID() || seen[pid] {
			t.Fatalf("process %d was started, %d is told, %d answers, of %v", pid, s.PID(), at, seen)
		}
		seen[pid] = true
		if _, err := s.Start(ctx); err == nil {
			t.Fatal("started twice")
		}
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		if exit, err := s.Wait(ctx); err != nil || exit.String() != "killed" {
			t.Fatalf("%s, %v", exit, err)
		}
	}
	if !strings.Contains(s.Output(), "serving") {
		t.Errorf("printed %q", s.Output())
	}
}

func TestServiceThatNeverRan(t *testing.T) {
	s := service(t, "127.0.0.1:1")
	for name, err := range map[string]error{
		"kill": s.Kill(), "pause": s.Pause(), "resume": s.Resume(), "ready": s.AwaitReady(context.Background(), time.Second),
	} {
		if !errors.Is(err, ErrEnded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Wait(context.Background()); !errors.Is(err, ErrEnded) {
		t.Errorf("wait: %v", err)
	}
	s.Stop(time.Minute)
	if s.PID() != 0 || s.Output() != "" || s.Done() != nil {
		t.Error("there is something of it")
	}
}

// answering says the same to everybody until the test ends.
func answering(t *testing.T, answer string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 1))
			conn.Write([]byte(answer))
			conn.Close()
		}
	})
	return l.Addr().String()
}

// A proxy that reaches nobody leaves the place behind it free.
func TestAProxyIsNotTheService(t *testing.T) {
	for status, free := range map[string]bool{"502 Bad Gateway": true, "504 Gateway Timeout": true, "503 Service Unavailable": false, "404 Not Found": false} {
		s := service(t, answering(t, "HTTP/1.1 "+status+"\r\nContent-Length: 0\r\n\r\n"))
		if err := s.vacant(t.Context()); (err == nil) != free {
			t.Errorf("%s: %v", status, err)
		}
	}
}

func TestSomethingElseAnswersAlready(t *testing.T) {
	for name, answer := range map[string]string{
		"http": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "an error": "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
		"no http": "220 mail\r\n", "nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			addr := answering(t, answer)
			s := service(t, addr)
			_, err := s.Start(context.Background())
			if err == nil || !strings.Contains(err.Error(), "something else already answers at http://"+addr) || problem.Hint(err) == "" {
				t.Errorf("got %v", err)
			}
			if s.PID() != 0 {
				t.Error("it was started all the same")
			}
		})
	}
}

func TestNotReady(t *testing.T) {
	ctx := context.Background()
	t.Run("ends", func(t *testing.T) {
		s := NewService(role("quit"), ready(t, freeAddr(t), "/healthz"))
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		err := s.AwaitReady(ctx, 20*time.Second)
		if err == nil || !strings.Contains(err.Error(), "exit 3") || !strings.Contains(err.Error(), "my last words") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("never says 2xx", func(t *testing.T) {
		addr := freeAddr(t)
		s := NewService(role("serve", "TEST_ADDR", addr), ready(t, addr, "/elsewhere"))
		defer s.Stop(0)
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it serves", func() bool { return strings.Contains(s.Output(), "serving") })
		err := s.AwaitReady(ctx, 2*time.Second)
		if err == nil || !strings.Contains(err.Error(), "within 2s: status 503") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a path that is not there", func(t *testing.T) {
		addr := freeAddr(t)
		s := NewService(role("serve", "TEST_ADDR", addr), ready(t, addr, "/health"))
		s.doubt = 200 * time.Millisecond
		defer s.Stop(0)
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		err := s.AwaitReady(ctx, time.Minute)
		if err == nil || !strings.Contains(err.Error(), "/health answers status 404, and has for 200ms: ready names a path that answers 2xx") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a path that comes later", func(t *testing.T) {
		addr := freeAddr(t)
		s := NewService(role("serve", "TEST_ADDR", addr, "TEST_LATE", "/late", "TEST_UNTIL", "300ms"), ready(t, addr, "/late"))
		s.doubt = time.Minute
		defer s.Stop(0)
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		if err := s.AwaitReady(ctx, 20*time.Second); err != nil {
			t.Error(err)
		}
	})
	t.Run("a path that was right once", func(t *testing.T) {
		addr := freeAddr(t)
		s := NewService(role("serve", "TEST_ADDR", addr, "TEST_LATE", "/late", "TEST_UNTIL", "500ms"), ready(t, addr, "/late"))
		s.doubt = time.Nanosecond
		s.served = true // a restart, in which a service may take its time
		defer s.Stop(0)
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		if err := s.AwaitReady(ctx, 20*time.Second); err != nil {
			t.Error(err)
		}
	})
	t.Run("never listens", func(t *testing.T) {
		s := NewService(role("sleep"), ready(t, freeAddr(t), "/healthz"))
		defer s.Stop(0)
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		if err := s.AwaitReady(ctx, 100*time.Millisecond); err == nil || !strings.Contains(err.Error(), "within 100ms") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		s := NewService(role("sleep"), ready(t, freeAddr(t), "/healthz"))
		defer s.Stop(0)
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(50*time.Millisecond, cancel)
		if err := s.AwaitReady(ctx, time.Minute); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := s.Start(ctx); err == nil {
			t.Error("started in an interrupted run")
		}
	})
	t.Run("cannot be started", func(t *testing.T) {
		s := NewService(Command{Argv: []string{"./none"}}, ready(t, freeAddr(t), "/healthz"))
		if _, err := s.Start(ctx); err == nil || s.PID() != 0 {
			t.Errorf("got %v", err)
		}
	})
}

// However it is stopped, and by however many at once, nothing answers after it.
func TestStopLeavesNothing(t *testing.T) {
	ctx, addr := context.Background(), freeAddr(t)
	s := service(t, addr)
	if _, err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.AwaitReady(ctx, 20*time.Second); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { s.Stop(5 * time.Second) })
		all.Go(func() { s.Kill() })
	}
	all.Wait()
	if s.ready.Taken(ctx) {
		t.Error("something still answers")
	}
	if _, err := s.Wait(ctx); err != nil {
		t.Error(err)
	}
}
