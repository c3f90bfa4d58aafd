package wire

import (
	"context"
	"net"
	"sync"
	"time"
)

// link is a connection, and why this side ended it where it did.
type link struct {
	conn     net.Conn
	number   int // from 1
	trip     time.Duration
	protocol string // as results name it

	mu     sync.Mutex
	reason error
	undo   func() bool // takes back the watch over the context
}

// As results name the protocols.
const (
	overHTTP1 = "HTTP/1.1"
	overHTTP2 = "HTTP/2"
)

// watch ends the connection with a context, until it is closed.
func (l *link) watch(ctx context.Context) {
	l.undo = context.AfterFunc(ctx, func() { l.end(context.Cause(ctx), false) })
}

// end closes the connection from this side, for a reason. An abort resets it,
// beneath TLS, which would say goodbye first.
func (l *link) end(reason error, abort bool) {
	l.mu.Lock()
	if l.reason == nil {
		l.reason = reason
	}
	l.mu.Unlock()
	if abort {
		conn := l.conn
		if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
			conn = secured.NetConn()
		}
		if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
			tcp.SetLinger(0)
			conn.Close()
		}
	}
	l.conn.Close()
}

// why is why this side ended the connection; nil where it did not.
func (l *link) why() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

func (l *link) close() {
	l.unwatch()
	l.conn.Close()
}

func (l *link) unwatch() {
	if l.undo != nil {
		l.undo()
	}
}

// seal makes the records of bytes that are to be released over TLS, and keeps
// them back: what is left to do at the release is one write. It reports whether
// it could; over plain TCP there is nothing to make.
func (l *link) seal(b []byte) bool {
	under := beneathOf(l.conn)
	if under == nil {
		return false
	}
	under.cork()
	if _, err := l.conn.Write(b); err != nil {
		return false
	}
	return true
}

// writeSealed writes what was sealed, and gives how many of its n bytes went.
// How many there were in a part of the records cannot be told: the last is said
// to be missing, and no more, so that nobody takes them for unsent.
func (l *link) writeSealed(n int) (int, error) {
	switch written, err := beneathOf(l.conn).uncork(); {
	case err == nil:
		return n, nil
	case written == 0:
		return 0, err
	default:
		return n - 1, err
	}
}

// writeOnce writes all bytes in one call to the system, where TLS alone would
// make one of each record.
func (l *link) writeOnce(b []byte) (int, error) {
	if !l.seal(b) {
		return l.conn.Write(b)
	}
	return l.writeSealed(len(b))
}
