// Package wire sends requests over connections of its own and tells what
// became of each copy.
//
// Nothing here sends a request twice, follows a redirect, reuses a connection
// or asks a proxy: a client that retries behind the caller's back would make
// the very second effect that is being looked for (contract-v1, Steps). Read
// message.go for the bytes that travel, endpoint.go for where to, flight.go
// for the life of one copy, release.go for copies released together, share.go
// for which connection takes which copy. alone.go carries one over HTTP/1.1,
// and answer.go reads what comes back; h2_conn.go carries one or more over
// HTTP/2, h2_send.go writes them, h2_release.go holds and releases them, and
// h2_read.go reads.
package wire

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// Clock gives the nanoseconds since the run began, monotonic.
type Clock func() int64

// Options are what all requests of a client share.
type Options struct {
	Timeout time.Duration // of one request, connecting apart; 0 is 10 s
	Clock   Clock         // nil counts from New
	// AllowHosts says whether requests may go to a host: a name in lower case or
	// an address, without port or brackets. It is asked before the name is
	// resolved. Nil allows no host.
	AllowHosts func(host string) bool
	MaxBody    int64 // bytes kept of an answer's body; 0 is 1 MiB
}

// Defaults of Options.
const (
	DefaultTimeout = 10 * time.Second
	DefaultMaxBody = 1 << 20
)

// Client sends requests. It is safe for concurrent use and holds no
// connection between them.
type Client struct {
	options     Options
	connections atomic.Int64
}

// New makes a client.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Clock == nil {
		began := time.Now()
		o.Clock = func() int64 { return int64(time.Since(began)) }
	}
	return &Client{options: o}
}

// Protocol says which version of HTTP an endpoint is spoken to in.
type Protocol string

// Protocols.
const (
	HTTP1      Protocol = ""           // HTTP/1.1
	Negotiated Protocol = "negotiated" // over TLS what ALPN chooses of HTTP/2 and HTTP/1.1, else HTTP/1.1
	HTTP2      Protocol = "HTTP/2"     // over TLS by ALPN and nothing else, else by prior knowledge (RFC 9113, 3.3)

	rather1 Protocol = "rather HTTP/1.1" // over TLS HTTP/1.1 where ALPN chooses it, else what it chooses; else HTTP/1.1
)

// Hold says which end of a request waits for the release.
type Hold string

// Holds. A server that looks the key up before it reads the body has its
// window opened wide by the body hold, one that looks after it by the header
// hold (release, What that teaches).
const (
	HoldNothing Hold = ""       // the whole request waits
	HoldBody    Hold = "body"   // the last byte of the body waits
	HoldHeader  Hold = "header" // the end of the header section waits, and the body with it
	HoldWhole   Hold = "whole"  // what a header hold is over HTTP/2: whole requests wait, and leave in one write
)

// Copy is one request to be sent once.
type Copy struct {
	Endpoint Endpoint
	Message  Message
	After    time.Duration // Release only: how long after the release it is written
	HangUp   HangUp
	// Apart gives the copy a connection of its own, where HTTP/2 would let copies
	// share one, and over HTTP/1.1 unless endpoint or server takes HTTP/2 alone: a
	// balancer may pin one connection to one replica (release, Design).
	Apart bool
	// Written, where set, is called once, when the last byte has been written
	// or nothing more will be.
	Written func()
}

// HangUp ends a connection on purpose, as a caller does that crashes or loses
// its network.
type HangUp struct {
	When  HangUpWhen
	After time.Duration // how long after that moment
	Abort bool          // reset the connection instead of closing it
}

// HangUpWhen is the moment of a hang-up.
type HangUpWhen string

// Moments.
const (
	Never      HangUpWhen = ""
	AfterWrite HangUpWhen = "after-write" // when the last byte has been written; no answer is awaited
	InAnswer   HangUpWhen = "in-answer"   // when the first byte of the answer has come
)

// ErrHungUp is the error of a copy whose connection was ended by HangUp.
var ErrHungUp = errors.New("hung up on purpose")

// Result is what became of one copy. Times are those of Options.Clock; 0 where
// the moment never came.
type Result struct {
	Connection int    // numbered from 1; 0 where there was none
	Stream     int    // of HTTP/2; copies with one Connection shared it
	Protocol   string // "HTTP/1.1", "HTTP/2"
	Hold       Hold   // where the copy was held until the release, as it came out
	Trip       int64  // nanoseconds that the TCP handshake took: one round trip
	Released   int64  // when the barrier of a release was opened; 0 where there was none
	WriteBegan int64  // of the first byte; of the released part where held
	WriteEnded int64
	Whole      bool // every byte of the request was written
	Outcome    trace.Outcome
	Status     int
	Header     [][2]string // in order of arrival
	Body       []byte      // the first Options.MaxBody bytes, framing removed
	BodySize   int64       // all of them
	BodyRest   []byte      // SHA-256 of those that Body leaves out; nil where it has all
	FirstByte  int64       // of the final answer, interim ones (1xx) apart
	LastByte   int64
	Ended      int64 // when no more could come: the answer was whole, or its connection was seen to end
	Err        error // nil where Outcome is answered

	// Unprocessed says that the server told that it did nothing with the request:
	// REFUSED_STREAM, or a GOAWAY whose last stream is below (RFC 9113, 8.7). The
	// outcome is reset.
	Unprocessed bool
}

// Early reports whether the answer began before the request was whole: then
// the copy's hold proves nothing.
func (r Result) Early() bool {
	return r.FirstByte != 0 && (!r.Whole || r.FirstByte < r.WriteEnded)
}

// Send sends a message once, over a connection of its own, and waits for the
// answer.
func (c *Client) Send(ctx context.Context, to Endpoint, m Message) Result {
	return c.SendCopy(ctx, Copy{Endpoint: to, Message: m})
}

// Drop sends a message once and hangs up instead of waiting for the answer's
// end. The outcome is reset, or cut where the answer had begun.
func (c *Client) Drop(ctx context.Context, to Endpoint, m Message, h HangUp) Result {
	return c.SendCopy(ctx, Copy{Endpoint: to, Message: m, HangUp: h})
}

// SendCopy sends one copy. Its After is not looked at.
func (c *Client) SendCopy(ctx context.Context, one Copy) Result {
	f := c.newFlight(one)
	for _, carrier := range c.embark(ctx, []*flight{f}, HoldNothing) {
		carrier.line().conn.SetDeadline(time.Now().Add(c.options.Timeout))
		carrier.start(ctx, nil)
	}
	return f.finish()
}
