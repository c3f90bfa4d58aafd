package main

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// echo answers every connection with what it sent, and ends when it does.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return l.Addr().String()
}

func through(t *testing.T, delay, jitter time.Duration) *relay {
	t.Helper()
	r, err := startRelay(echo(t), delay, jitter)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

func dial(t *testing.T, r *relay) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", r.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn.(*net.TCPConn)
}

// Many segments with delays that would overtake each other come in order, on
// each of several connections, and the end comes last.
func TestTheRelayKeepsOrder(t *testing.T) {
	r := through(t, 3*time.Millisecond, 3*time.Millisecond)
	var all sync.WaitGroup
	for c := range 5 {
		conn := dial(t, r)
		all.Go(func() {
			var sent []byte
			for i := range 200 {
				part := bytes.Repeat([]byte{byte(c), byte(i)}, 1+i%7)
				sent = append(sent, part...)
				if _, err := conn.Write(part); err != nil {
					t.Error(err)
				}
				if i%20 == 0 {
					time.Sleep(time.Millisecond)
				}
			}
			conn.CloseWrite()
			got, err := io.ReadAll(conn)
			if err != nil || !bytes.Equal(got, sent) {
				t.Errorf("connection %d: %d bytes of %d, %v", c, len(got), len(sent), err)
			}
		})
	}
	all.Wait()
}

// Never sooner than the least delay, each way. How much later is the machine's.
func TestTheRelayDelays(t *testing.T) {
	r := through(t, 20*time.Millisecond, 5*time.Millisecond)
	conn := dial(t, r)
	for range 5 {
		began := time.Now()
		conn.Write([]byte("x"))
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < 30*time.Millisecond {
			t.Errorf("there and back in %v", took)
		}
	}
}

// What is drawn is what a segment waits, and no segment is due before the one
// that it follows.
func TestDueTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draws := rapid.SliceOfN(rapid.Float64Range(0, 0.999), 1, 20).Draw(t, "draws")
		r := &relay{delay: 10 * time.Millisecond, jitter: time.Millisecond}
		i := 0
		r.draw = func() float64 { i++; return draws[i-1] }
		s := r.stamps()
		now := time.Now()
		var last time.Time
		for n, d := range draws {
			now = now.Add(time.Duration(n) * 100 * time.Microsecond)
			due := s(now)
			own := now.Add(r.delay + time.Duration((2*d-1)*float64(r.jitter)))
			if due.Before(last) || due.Before(own) || due.After(own) && !due.Equal(last) {
				t.Fatalf("segment %d is due %v, drawn %v, after %v", n, due, own, last)
			}
			if wait := own.Sub(now); wait < 9*time.Millisecond || wait > 11*time.Millisecond {
				t.Fatalf("segment %d waits %v", n, wait)
			}
			last = due
		}
	})
}

func TestTheRelayEnds(t *testing.T) {
	r, err := startRelay(echo(t), time.Millisecond, 0)
	if err != nil {
		t.Fatal(err)
	}
	conn := dial(t, r)
	conn.Write([]byte("x"))
	io.ReadFull(conn, make([]byte, 1))
	closed := make(chan struct{})
	go func() { r.close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("its connections live on")
	}
	nobody, err := startRelay("127.0.0.1:1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.close()
	if _, err := io.ReadAll(dial(t, nobody)); err != nil {
		t.Errorf("nobody behind it: %v", err)
	}
}

func TestTheAlarmWaits(t *testing.T) {
	a, err := newAlarm()
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	for _, d := range []time.Duration{-1, 0, 100 * time.Microsecond, 3 * time.Millisecond} {
		began := time.Now()
		if err := a.wait(d); err != nil || time.Since(began) < d {
			t.Errorf("%v: %v after %v", d, err, time.Since(began))
		}
	}
}
