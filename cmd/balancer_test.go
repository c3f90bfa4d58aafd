package cmd

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// Balancers before replicas, as people run them. Each gives its URL.

// balanceConnections hands each TCP connection to the next of the addresses; a
// sticky one hands all of them to the first.
func balanceConnections(t *testing.T, sticky bool, addresses ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	t.Cleanup(func() { l.Close(); open.Wait() })
	open.Go(func() {
		for turn := 0; ; turn++ {
			in, err := l.Accept()
			if err != nil {
				return
			}
			to := addresses[turn%len(addresses)]
			if sticky {
				to = addresses[0]
			}
			open.Go(func() { relay(in, to) })
		}
	})
	return "http://" + l.Addr().String()
}

// relay passes bytes both ways until both ends have said all.
func relay(in net.Conn, to string) {
	defer in.Close()
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer out.Close()
	var both sync.WaitGroup
	pass := func(to, from net.Conn) {
		io.Copy(to, from)
		to.(*net.TCPConn).CloseWrite()
	}
	both.Go(func() { pass(out, in) })
	both.Go(func() { pass(in, out) })
	both.Wait()
}

// balanceRequests hands each request to the next of the addresses. It keeps no
// connection, on which Go's client would send a request a second time.
func balanceRequests(t *testing.T, addresses ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var turn atomic.Uint64
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		ErrorLog:  log.New(io.Discard, "", 0), // callers that hang up on purpose
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addresses[turn.Add(1)%uint64(len(addresses))]})
		},
	}
	s := &http.Server{Handler: proxy}
	done := make(chan error)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-done })
	return "http://" + l.Addr().String()
}
