package reference

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxStreams bounds the requests of one HTTP/2 connection at a time.
const maxStreams = 250

// newServer is the HTTP side: HTTP/1.1, and HTTP/2 by ALPN, or in clear for a
// client that begins with it (RFC 9113, 3.3). There is no time-out on the whole
// answer, since callers may wait for another; send sets one on the writing.
func newServer(h http.Handler, o *Options) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!o.HTTP2Only)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           h,
		Protocols:         protocols,
		TLSConfig:         o.TLS.Clone(), // to which net/http adds its protocols; a replica has the same
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: answerTime},
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
}

// Serve answers requests until ctx ends. Then it accepts none, gives those that
// run up to drain to finish, and gives up the rest in an orderly way: their
// keys are free, or their leases end, so that a retry need not wait. It closes
// the listener, not the store.
func (s *Service) Serve(ctx context.Context, l net.Listener, drain time.Duration) error {
	handler := s.front
	if handler == nil {
		handler = s.handler()
	}
	srv := newServer(handler, &s.options)
	keeping, stopKeeping := context.WithCancel(s.base)
	var keeper sync.WaitGroup
	keeper.Go(func() { s.keep(keeping) })
	failed := make(chan error, 1)
	go func() {
		if s.options.TLS != nil {
			failed <- srv.ServeTLS(l, "", "")
			return
		}
		failed <- srv.Serve(l)
	}()

	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = s.drain(srv, drain)
	}
	stopKeeping()
	s.end()
	keeper.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// settleTime is what given-up operations get to release their keys.
const settleTime = 5 * time.Second

func (s *Service) drain(srv *http.Server, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if srv.Shutdown(ctx) == nil {
		return nil
	}
	s.options.Log.Warn("giving up requests that did not finish in time")
	s.end()
	ctx, cancel = context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	if srv.Shutdown(ctx) == nil {
		return nil
	}
	return srv.Close()
}
