package main

import (
	"context"
	"crypto/tls"
	"fmt"

	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// target is where copies go: a base URL without a slash at its end, and whom
// to trust.
type target struct {
	base   string
	prior  string      // the same for HTTP/2 without TLS, where that is elsewhere
	config *tls.Config // nil without TLS
	roots  string      // the same as a PEM file, for programs; empty without TLS
}

func (t target) url(http2 bool) string {
	if http2 && t.prior != "" {
		return t.prior
	}
	return t.base
}

// way is one way to send copies of a request at once, one with each key. An
// error says that not all went and were answered as meant: then the round does
// not count.
type way struct {
	name    string
	release func(ctx context.Context, to target, path string, keys []string) error
}

// body is what every copy carries.
const body = `{"order_id":"o-1748","amount":1250,"currency":"EUR","description":"two of the blue ones"}`

// Names of the ways that gates speak of.
const (
	cold       = "goroutines on net/http"
	warmed     = "goroutines on warmed connections"
	warmedH2   = "goroutines on one warmed HTTP/2 connection"
	http1Head  = "idem, HTTP/1.1, header hold"
	http1Body  = "idem, HTTP/1.1, body hold"
	http2Body  = "idem, HTTP/2, body hold"
	http2Whole = "idem, HTTP/2, whole in one write"
	floorBody  = "the server's own pace, body hold"
	floorWhole = "the server's own pace, whole in one write"
)

func idemWays() []way {
	return []way{
		{http1Head, held{wire.HTTP1, wire.HoldHeader, wire.HoldHeader}.release},
		{http1Body, held{wire.HTTP1, wire.HoldBody, wire.HoldBody}.release},
		{http2Body, held{wire.HTTP2, wire.HoldBody, wire.HoldBody}.release},
		{http2Whole, held{wire.HTTP2, wire.HoldHeader, wire.HoldWhole}.release},
	}
}

func naiveWays() []way {
	return []way{
		{cold, naive{}.release},
		{warmed, naive{warm: true}.release},
		{warmedH2, naive{warm: true, http2: true}.release},
	}
}

// held releases as idem does.
type held struct {
	protocol wire.Protocol
	asked    wire.Hold
	meant    wire.Hold // what the hold is to come out as
}

func (h held) release(ctx context.Context, to target, path string, keys []string) error {
	endpoint, err := wire.ParseEndpoint(to.url(h.protocol == wire.HTTP2), to.config)
	if err != nil {
		return err
	}
	endpoint = endpoint.Speaking(h.protocol)
	copies := make([]wire.Copy, len(keys))
	for i, k := range keys {
		copies[i] = wire.Copy{Endpoint: endpoint, Message: wire.Message{Method: "POST", Target: path, Body: []byte(body),
			Header: [][2]string{{"Content-Type", "application/json"}, {"Idempotency-Key", k}}}}
	}
	client := wire.New(wire.Options{AllowHosts: func(host string) bool { return host == endpoint.Name() }})
	for i, r := range client.Release(ctx, copies, h.asked) {
		switch {
		case r.Outcome != trace.Answered:
			return fmt.Errorf("copy %d: %s: %w", i, r.Outcome, r.Err)
		case r.Status/100 != 2:
			return fmt.Errorf("copy %d: status %d", i, r.Status)
		case r.Hold != h.meant || r.Early() || h.protocol == wire.HTTP2 && r.Protocol != string(wire.HTTP2):
			return fmt.Errorf("copy %d: hold %q over %s, not %q", i, r.Hold, r.Protocol, h.meant)
		}
	}
	return nil
}
