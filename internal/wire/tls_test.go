package wire

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/idem-toolkit/idem/internal/trace"
)

// secure starts a TLS server and gives an endpoint that trusts it.
func secure(t *testing.T, h http.Handler, change func(*httptest.Server)) Endpoint {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = nil
	if change != nil {
		change(s)
	}
	if s.EnableHTTP2 && s.TLS == nil {
		s.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}} // as servers do, and httptest does not
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	to, err := ParseEndpoint(s.URL, &tls.Config{RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func TestOverTLS(t *testing.T) {
	var posts atomic.Int64
	to := secure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posts.Add(1)
		fmt.Fprintf(w, "%s over %s", body, r.Proto)
	}), func(s *httptest.Server) { s.EnableHTTP2 = true })
	for _, h := range []Hold{HoldNothing, HoldBody, HoldHeader} {
		for i, r := range client(Options{}).Release(background, copies(10, to, ping), h) {
			if string(r.Body) != `{"amount":1999} over HTTP/1.1` || r.Hold != h || !r.Whole || r.Early() {
				t.Errorf("hold %q, copy %d: %s %q %v", h, i, r.Outcome, r.Body, r.Err)
			}
		}
	}
	if posts.Load() != 30 {
		t.Errorf("%d arrivals", posts.Load())
	}
}

func TestTLSRefusals(t *testing.T) {
	to := secure(t, http.NotFoundHandler(), func(s *httptest.Server) { s.Config.ErrorLog = discard })
	strangers := to
	strangers.tls = nil
	plain, _ := ParseEndpoint("http://"+to.HostField(), nil)
	cleartext := says(t, fullAnswer)
	confused := to
	confused.port = cleartext.port
	for name, r := range map[string]Result{
		"unknown root":   client(Options{}).Send(background, strangers, ping),
		"no TLS spoken":  client(Options{}).Send(background, confused, ping),
		"TLS not spoken": client(Options{}).Send(background, plain, ping),
	} {
		if name == "TLS not spoken" { // Go's server answers in clear text
			if r.Status != 400 {
				t.Errorf("%s: %+v", name, r)
			}
		} else if r.Outcome != trace.Refused || r.Err == nil {
			t.Errorf("%s: %+v", name, r)
		}
		noSecret(t, r)
	}
}

// Without its farewell a TLS connection was cut, whatever the framing says.
func TestTLSCutWithoutCloseNotify(t *testing.T) {
	to := secure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		kind, body, _ := strings.Cut(r.URL.RawQuery, "=")
		io.WriteString(conn, "HTTP/1.0 200 OK\r\nContent-Type: "+kind+"\r\n\r\n"+body)
		if r.URL.Path == "/farewell" {
			conn.Close()
			return
		}
		conn.(*tls.Conn).NetConn().Close()
	}), nil)
	for path, want := range map[string]trace.Outcome{
		"/farewell?text/plain=part":         trace.Answered,
		"/cut?text/plain=part":              trace.Cut,
		"/cut?application/json=[1]":         trace.Answered,
		"/cut?application/json=[1":          trace.Cut,
		"/cut?application/json=12":          trace.Cut,
		"/farewell?application/json=12":     trace.Answered,
		"/farewell?application/json=[1":     trace.Cut,
		"/farewell?application/json=":       trace.Cut,
		"/cut?application/octet-stream=[1]": trace.Cut,
	} {
		r := client(Options{}).Send(background, to, Message{Method: "GET", Target: path})
		if r.Outcome != want || !strings.HasSuffix(path, "="+string(r.Body)) {
			t.Errorf("%s: %s %q %v", path, r.Outcome, r.Body, r.Err)
		}
	}
}

func TestClientCertificate(t *testing.T) {
	dir := t.TempDir()
	var server *httptest.Server
	to := secure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, len(r.TLS.PeerCertificates))
	}), func(s *httptest.Server) {
		server = s
		s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	})
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), 0o600)
	os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600)

	config, err := ClientCertificate(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	config.RootCAs = to.tls.RootCAs
	known, _ := ParseEndpoint(to.String(), config)
	for want, to := range map[string]Endpoint{"0": to, "1": known} {
		if r := client(Options{}).Send(background, to, ping); string(r.Body) != want {
			t.Errorf("the server saw %q certificates, want %s: %v", r.Body, want, r.Err)
		}
	}
	if _, err := ClientCertificate(keyFile, certFile); err == nil {
		t.Error("a key was taken for a certificate")
	}
	if _, err := ClientCertificate(filepath.Join(dir, "none"), keyFile); err == nil {
		t.Error("a missing file was taken for a certificate")
	}
}
