package wire

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// dial opens a connection and says how long a round trip to the peer takes.
// The host is checked before its name is resolved.
func (c *Client) dial(ctx context.Context, to Endpoint) (net.Conn, time.Duration, error) {
	if to.name == "" {
		return nil, 0, problem.New("", "the request has no endpoint")
	}
	if c.options.AllowHosts == nil || !c.options.AllowHosts(to.name) {
		return nil, 0, problem.New("", "the host %s is not allowed, nothing was sent", to.name).
			WithHint("allow_hosts: [%s]", to.name)
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	conn, trip, err := connect(ctx, to.address())
	if err != nil {
		return nil, 0, err
	}
	if !to.secure {
		return conn, trip, nil
	}
	secured := tls.Client(&beneath{TCPConn: conn}, to.tlsConfig())
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, 0, err
	}
	return secured, trip, nil
}

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
// died says no farewell (RFC 8446, 6.1).
type beneath struct {
	*net.TCPConn
	ended atomic.Bool
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
	secured, ok := conn.(*tls.Conn)
	if !ok {
		return false
	}
	b, ok := secured.NetConn().(*beneath)
	return ok && b.ended.Load()
}
