package reference

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// servingOn serves on a port of its own until the test ends.
func servingOn(t *testing.T, o Options) (address string) {
	t.Helper()
	store, err := OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(store, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, time.Second) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serving ended with %v", err)
		}
		store.Close()
	})
	return l.Addr().String()
}

// speaking is a client of one version of HTTP.
func speaking(set func(*http.Protocols)) *http.Client {
	protocols := new(http.Protocols)
	set(protocols)
	return &http.Client{Transport: &http.Transport{Protocols: protocols, DisableKeepAlives: false}}
}

// One port speaks both versions, and a key is one key over both.
func TestOnePortSpeaksBothVersions(t *testing.T) {
	address := servingOn(t, Defaults())
	var bodies []string
	for _, c := range []struct {
		client *http.Client
		major  int
	}{
		{speaking(func(p *http.Protocols) { p.SetHTTP1(true) }), 1},
		{speaking(func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }), 2},
	} {
		defer c.client.CloseIdleConnections()
		req, err := http.NewRequest("POST", "http://"+address+"/v1/charges", strings.NewReader(`{"order_id":"o-1","amount":1999,"currency":"EUR"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Idempotency-Key", "one-key")
		resp, err := c.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 201 || resp.ProtoMajor != c.major {
			t.Fatalf("HTTP/%d: %d over %s, %v", c.major, resp.StatusCode, resp.Proto, err)
		}
		bodies = append(bodies, string(body))
	}
	if bodies[0] != bodies[1] {
		t.Errorf("%s, then %s", bodies[0], bodies[1])
	}
}

// What stands before the service sees every request, and may answer itself.
func TestAHandlerStandsBeforeTheService(t *testing.T) {
	o := Defaults()
	o.Handler = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/healthz" {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	address := servingOn(t, o)
	for path, want := range map[string]int{"/healthz": http.StatusTeapot, "/v1/effects?order_id=o-1": 200} {
		resp, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
}
