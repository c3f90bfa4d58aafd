package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/idem-toolkit/idem/internal/trace"
)

// cleartext starts Go's own server, which speaks HTTP/2 by prior knowledge.
func cleartext(t testing.TB, h http.Handler) Endpoint {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.Protocols.SetHTTP1(true)
	s.Start()
	t.Cleanup(s.Close)
	to, err := ParseEndpoint(s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return to.Speaking(HTTP2)
}

// echo answers with what it was asked.
func echo(count *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		count.Add(1)
		fmt.Fprintf(w, "%s over %s", body, r.Proto)
	})
}

func TestHTTP2(t *testing.T) {
	var count atomic.Int64
	secured := secure(t, echo(&count), func(s *httptest.Server) { s.EnableHTTP2 = true })
	for name, to := range map[string]Endpoint{
		"prior knowledge": cleartext(t, echo(&count)), "ALPN": secured.Speaking(HTTP2), "negotiated": secured.Speaking(Negotiated),
	} {
		t.Run(name, func(t *testing.T) {
			count.Store(0)
			r := client(Options{}).Send(background, to, ping)
			if r.Outcome != trace.Answered || string(r.Body) != `{"amount":1999} over HTTP/2.0` || r.Stream != 1 || r.Protocol != "HTTP/2" || !r.Whole {
				t.Fatalf("%+v", r)
			}
			for hold, want := range map[Hold]Hold{HoldNothing: HoldNothing, HoldBody: HoldBody, HoldHeader: HoldWhole, HoldWhole: HoldWhole} {
				for i, r := range client(Options{}).Release(background, copies(30, to, ping), hold) {
					if string(r.Body) != `{"amount":1999} over HTTP/2.0` || r.Hold != want || !r.Whole || r.Early() || r.Stream != 2*i+1 || r.Connection != 1 {
						t.Errorf("hold %q, copy %d: %+v", hold, i, r)
					}
					inOrder(t, r.Trip, r.Released, r.WriteBegan, r.WriteEnded, r.FirstByte, r.LastByte, r.Ended)
				}
			}
			if n := count.Load(); n != 121 {
				t.Errorf("%d arrivals", n)
			}
		})
	}
}
