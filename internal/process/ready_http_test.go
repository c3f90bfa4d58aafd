package process

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/wire"
)

// A place is taken whatever version of HTTP is spoken there, and ready only to
// who speaks it.
func TestAPlaceIsTakenInAnyVersionOfHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		http1, http2 bool
	}{"HTTP/1.1": {http1: true}, "HTTP/2": {http2: true}, "both": {true, true}} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP1(c.http1)
		s.Config.Protocols.SetUnencryptedHTTP2(c.http2)
		s.Start()
		defer s.Close()
		to, err := wire.ParseEndpoint(s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		client := wire.New(wire.Options{AllowHosts: func(string) bool { return true }})
		for protocol, speaks := range map[wire.Protocol]bool{wire.HTTP1: c.http1, wire.Negotiated: c.http1, wire.HTTP2: c.http2} {
			r := Ready{Client: client, Endpoint: to.Speaking(protocol), Path: "/healthz"}
			if !r.Taken(t.Context()) {
				t.Errorf("%s, asked in %q: it is not taken", name, protocol)
			}
			within := 10 * time.Second
			if !speaks {
				within = 50 * time.Millisecond
			}
			err := r.Await(t.Context(), within, nil)
			if (err == nil) != speaks {
				t.Errorf("%s, asked in %q: %v", name, protocol, err)
			}
			if !speaks && protocol == wire.HTTP2 && !strings.Contains(err.Error(), "does not speak HTTP/2") {
				t.Errorf("%s, asked in %q: %v", name, protocol, err)
			}
		}
	}
	nobody := httptest.NewServer(nil)
	nobody.Close()
	to, err := wire.ParseEndpoint(nobody.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := wire.New(wire.Options{AllowHosts: func(string) bool { return true }})
	if (Ready{Client: client, Endpoint: to.Speaking(wire.HTTP2), Path: "/"}).Taken(t.Context()) {
		t.Error("nobody listens there")
	}
}
