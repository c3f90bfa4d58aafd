package testneed

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/nginx"
)

// front is an nginx in front of a server that says what it was asked in.
func front(t *testing.T) *nginx.Server {
	t.Helper()
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Method+" over "+r.Proto)
	}))
	t.Cleanup(behind.Close)
	return Nginx(t, nginx.Config{Upstreams: []string{strings.TrimPrefix(behind.URL, "http://")}})
}

func TestNginxSpeaksEachVersion(t *testing.T) {
	s := front(t)
	for _, c := range []struct {
		url, over string
		set       func(*http.Protocols)
	}{
		{"http://" + s.Plain, "HTTP/1.1", func(p *http.Protocols) { p.SetHTTP1(true) }},
		{"http://" + s.Prior, "HTTP/2.0", func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }},
		{"https://" + s.Secure, "HTTP/1.1", func(p *http.Protocols) { p.SetHTTP1(true) }},
		{"https://" + s.Secure, "HTTP/2.0", func(p *http.Protocols) { p.SetHTTP1(true); p.SetHTTP2(true) }},
	} {
		protocols := new(http.Protocols)
		c.set(protocols)
		client := &http.Client{Transport: &http.Transport{Protocols: protocols, TLSClientConfig: s.Trust.Clone()}}
		defer client.CloseIdleConnections()
		resp, err := client.Get(c.url)
		if err != nil {
			t.Errorf("%s over %s: %v", c.url, c.over, err)
			continue
		}
		said, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		// What it speaks to the service is its own affair: HTTP/1.0 by default.
		if err != nil || resp.Proto != c.over || string(said) != "GET over HTTP/1.0" {
			t.Errorf("%s: over %s: %q, %v", c.url, resp.Proto, said, err)
		}
	}
	const passed = "GET / 200 127.0.0.1:"
	// It writes a request down when it has done with it, which the caller may see first.
	for end := time.Now().Add(10 * time.Second); strings.Count(s.Passed(), passed) < 4 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if strings.Count(s.Passed(), passed) != 4 {
		t.Errorf("passed on:\n%s", s.Passed())
	}
}

func TestNginxEndsWithTheTest(t *testing.T) {
	var s *nginx.Server
	t.Run("uses it", func(t *testing.T) { s = front(t) })
	if s == nil {
		missing(t, "no nginx")
	}
	for _, address := range []string{s.Plain, s.Prior, s.Secure} {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			conn.Close()
			t.Errorf("something still listens on %s", address)
		}
	}
}

func TestNginxSaysWhatItRefuses(t *testing.T) {
	if _, err := nginx.Find(); err != nil {
		missing(t, "%v", err)
	}
	_, err := nginx.Start(t.TempDir(), nginx.Config{Upstreams: []string{"127.0.0.1:1"}, Server: []string{"no_such_directive on"}})
	if err == nil || !strings.Contains(err.Error(), `unknown directive "no_such_directive"`) {
		t.Errorf("got %v", err)
	}
}
