package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// dial opens a connection, in the protocol that the endpoint asks for. The
// host is checked before its name is resolved.
func (c *Client) dial(ctx context.Context, to Endpoint) (*link, error) {
	if to.name == "" {
		return nil, problem.New("", "the request has no endpoint")
	}
	if c.options.AllowHosts == nil || !c.options.AllowHosts(to.name) {
		return nil, problem.New("", "the host %s is not allowed, nothing was sent", to.name).
			WithHint("allow_hosts: [%s]", to.name)
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	l, err := open(ctx, to)
	if to.speaks == rather1 && to.secure && l.refuses1(err) {
		// Nor does one that chooses nothing say that it has HTTP/1.1: a server of
		// HTTP/2 alone may let such callers in.
		if l != nil {
			l.conn.Close()
		}
		l, err = open(ctx, to.Speaking(Negotiated))
	}
	if err != nil {
		return nil, err
	}
	l.number = int(c.connections.Add(1))
	return l, nil
}

// open makes the connection itself.
func open(ctx context.Context, to Endpoint) (*link, error) {
	conn, trip, err := connect(ctx, to.address())
	if err != nil {
		return nil, err
	}
	l := &link{conn: conn, trip: trip, protocol: overHTTP1}
	if !to.secure && to.speaks == HTTP2 {
		l.protocol = overHTTP2
	}
	if to.secure {
		if err := l.secure(ctx, conn, to); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return l, nil
}

// refuses1 reports whether ALPN did not choose HTTP/1.1, which alone was offered.
func (l *link) refuses1(err error) bool {
	if err != nil {
		return refusedInALPN(err)
	}
	secured, ok := l.conn.(*tls.Conn)
	return ok && secured.ConnectionState().NegotiatedProtocol == ""
}

// secure puts TLS on the connection; ALPN chooses the protocol.
func (l *link) secure(ctx context.Context, conn *net.TCPConn, to Endpoint) error {
	secured := tls.Client(&beneath{TCPConn: conn}, to.tlsConfig())
	err := secured.HandshakeContext(ctx)
	chosen := secured.ConnectionState().NegotiatedProtocol
	switch {
	case to.speaks == HTTP2 && refusedInALPN(err):
		return errors.New("the server does not speak HTTP/2: it refuses it in ALPN")
	case err != nil:
		return err
	case to.speaks == HTTP2 && chosen == "":
		return errors.New("the server does not speak HTTP/2: ALPN chose nothing")
	case to.speaks == HTTP2 && chosen != "h2":
		return fmt.Errorf("the server does not speak HTTP/2: ALPN chose %q", chosen)
	case chosen == "h2":
		l.protocol = overHTTP2
	}
	l.conn = secured
	return nil
}

func refusedInALPN(err error) bool {
	var alert *net.OpError
	return errors.As(err, &alert) && alert.Err.Error() == noApplicationProtocol.Error()
}

// noApplicationProtocol is the alert of a server that takes none of the
// protocols that were offered (RFC 7301, 3.2). As it comes in it has a type of
// crypto/tls's own, so that only its words can be compared.
const noApplicationProtocol tls.AlertError = 120

// connect times the TCP handshake alone: the clock starts anew at each socket
// made, so resolving and addresses that were tried in vain do not count.
func connect(ctx context.Context, address string) (*net.TCPConn, time.Duration, error) {
	var began time.Time
	dialer := net.Dialer{
		FallbackDelay: -1, // one address after the other: two at once would connect twice
		Control: func(string, string, syscall.RawConn) error {
			began = time.Now()
			return nil
		},
	}
	opened, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, 0, err
	}
	trip := time.Since(began)
	conn := opened.(*net.TCPConn)
	// A held last byte must leave at once, not wait for an acknowledgement.
	if err := conn.SetNoDelay(true); err != nil {
		conn.Close()
		return nil, 0, err
	}
	return conn, trip, nil
}

// beneath is the connection that TLS runs on. It notes whether it just ended:
// crypto/tls lets that pass for the peer's close_notify, though a server that
// died says no farewell (RFC 8446, 6.1). And it can keep records back, so that
// those made before a release leave in one write.
type beneath struct {
	*net.TCPConn
	ended atomic.Bool

	mu     sync.Mutex
	corked bool
	kept   []byte
}

// beneathOf is nil where there is no TLS.
func beneathOf(conn net.Conn) *beneath {
	secured, ok := conn.(*tls.Conn)
	if !ok {
		return nil
	}
	b, _ := secured.NetConn().(*beneath)
	return b
}

func (b *beneath) cork() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.corked = true
}

// uncork writes all that was kept back. The lock keeps later records behind it.
func (b *beneath) uncork() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.kept
	b.corked, b.kept = false, nil
	return b.TCPConn.Write(kept)
}

func (b *beneath) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.corked {
		b.kept = append(b.kept, p...)
		return len(p), nil
	}
	return b.TCPConn.Write(p)
}

func (b *beneath) Read(p []byte) (int, error) {
	n, err := b.TCPConn.Read(p)
	if err == io.EOF {
		b.ended.Store(true)
	}
	return n, err
}

// abrupt reports whether a connection's end of file came without a farewell,
// where one was due.
func abrupt(conn net.Conn) bool {
	b := beneathOf(conn)
	return b != nil && b.ended.Load()
}
