package main

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// relay passes TCP connections on to one address, in user space. Whatever it
// reads in one go is a segment, and leaves after the delay, give or take the
// jitter, drawn anew for each segment; within a connection and direction order
// is kept, the end included. Connections themselves are made at once.
type relay struct {
	to            string
	delay, jitter time.Duration
	draw          func() float64 // in [0, 1)

	listener net.Listener
	mu       sync.Mutex
	open     map[net.Conn]bool // nil once closed
	all      sync.WaitGroup
}

// segment is what was read in one go, and when it is due; no bytes are the end.
type segment struct {
	bytes []byte
	due   time.Time
}

// Bounds of a relay: what one direction may hold back. Whoever reads slower
// than that slows the sender down, as anywhere.
const (
	segmentSize = 64 << 10
	heldBack    = 256
)

// startRelay listens on a free loopback port.
func startRelay(to string, delay, jitter time.Duration) (*relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{to: to, delay: delay, jitter: jitter, draw: rand.Float64, listener: listener, open: map[net.Conn]bool{}}
	r.all.Go(r.accept)
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

// close ends all connections and waits until nothing runs any more.
func (r *relay) close() {
	r.listener.Close()
	r.mu.Lock()
	for conn := range r.open {
		conn.Close()
	}
	r.open = nil
	r.mu.Unlock()
	r.all.Wait()
}

func (r *relay) accept() {
	for {
		here, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.all.Go(func() { r.pass(here.(*net.TCPConn)) })
	}
}

// pass serves one connection until both directions have ended.
func (r *relay) pass(here *net.TCPConn) {
	defer here.Close()
	opened, err := net.DialTimeout("tcp", r.to, time.Second)
	if err != nil {
		return
	}
	there := opened.(*net.TCPConn)
	defer there.Close()
	if !r.keep(here, there) {
		return
	}
	defer r.drop(here, there)
	var both sync.WaitGroup
	both.Go(func() { r.carry(here, there) })
	both.Go(func() { r.carry(there, here) })
	both.Wait()
}

func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		return false
	}
	for _, conn := range conns {
		r.open[conn] = true
	}
	return true
}

func (r *relay) drop(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range conns {
		delete(r.open, conn)
	}
}

// carry takes one direction: one side reads and stamps, the other waits and
// writes.
func (r *relay) carry(from, to *net.TCPConn) {
	segments := make(chan segment, heldBack)
	go r.read(from, segments)
	a, err := newAlarm()
	if err != nil {
		to.Close()
		for range segments { // until the reader ends, for want of an other side
		}
		return
	}
	defer a.close()
	broken := false
	for s := range segments {
		if broken {
			continue
		}
		if err := a.wait(time.Until(s.due)); err != nil {
			broken = true
		} else if s.bytes == nil {
			to.CloseWrite()
		} else if _, err := to.Write(s.bytes); err != nil {
			broken = true
		}
		if broken {
			from.Close() // its reader ends, and the segments with it
		}
	}
}

// stamps gives when the segments of one direction are due. None is before the
// one that it follows.
func (r *relay) stamps() func(now time.Time) time.Time {
	var last time.Time
	return func(now time.Time) time.Time {
		due := now.Add(r.delay + time.Duration((2*r.draw()-1)*float64(r.jitter)))
		if due.Before(last) {
			due = last
		}
		last = due
		return due
	}
}

// read stamps segments until the end.
func (r *relay) read(from *net.TCPConn, segments chan<- segment) {
	defer close(segments)
	buffer := make([]byte, segmentSize)
	stamp := r.stamps()
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			segments <- segment{append([]byte(nil), buffer[:n]...), stamp(time.Now())}
		}
		if err == io.EOF {
			segments <- segment{nil, stamp(time.Now())}
		}
		if err != nil {
			return
		}
	}
}
