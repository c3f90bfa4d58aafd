package run

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/certificate"
	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/wire"
)

const certifiedContract = `idem: contract/v1
name: certified
target:
  base_urls: ["%s"]
  allow_hosts: [127.0.0.1]
  auth: {mtls: {cert: one.pem, key: one.key}}
  other_auth: {mtls: {cert: two.pem, key: two.key}}
operations:
  - name: charge
    request: {method: POST, path: /v1/charges, body: {order_id: "o-1"}, fresh: [/order_id]}
    key: {header: Idempotency-Key, generate: uuid4}
`

// certify writes a client's certificate and key, and gives the certificate.
func certify(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	public, secret, err := certificate.SelfSigned(&x509.Certificate{Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true, BasicConstraintsValid: true})
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string][]byte{name + ".pem": public, name + ".key": secret} {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(public, secret)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

func certified(t *testing.T, dir, url string) (*Live, error) {
	t.Helper()
	spec, err := contract.Parse(filepath.Join(dir, "certified.yaml"), fmt.Appendf(nil, certifiedContract, url), nil)
	if err != nil {
		t.Fatal(err)
	}
	return Prepare(t.Context(), Options{Contract: spec, Seed: 1, RunID: "0123456789abcdef", Keys: probe.GeneratedKeys{},
		Lookup: os.LookupEnv, Began: time.Now()})
}

// TestEachPrincipalShowsItsCertificate: one that went as the other would make
// a right server look as if it gave results to strangers. Over HTTP/2, where
// copies share a connection, each shares one with its own kind alone.
func TestEachPrincipalShowsItsCertificate(t *testing.T) {
	for want, both := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(want, func(t *testing.T) { showsCertificates(t, both, want) })
	}
}

func showsCertificates(t *testing.T, http2 bool, protocol string) {
	dir := t.TempDir()
	clients := x509.NewCertPool()
	clients.AddCert(certify(t, dir, "one"))
	clients.AddCert(certify(t, dir, "two"))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
	server.EnableHTTP2 = http2
	server.StartTLS()
	defer server.Close()
	live, err := certified(t, dir, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	target := live.world.targets["charge"]
	servers := x509.NewCertPool()
	servers.AddCert(server.Certificate())
	target.Auth.certificate.RootCAs, target.Other.certificate.RootCAs = servers, servers
	job := live.jobs[0]
	job.Target = target
	q := job.Plans[0].Requests[0]
	x := &actor{r: &Runner{Client: live.client}, p: &part{job: job, plan: job.Plans[0], asked: map[string]*probe.Request{q.ID: q}}}
	var together []wire.Copy
	for other, want := range map[bool]string{false: "one", true: "two"} {
		one, err := x.copy(t.Context(), q.ID, "", other)
		if err != nil {
			t.Fatal(err)
		}
		if r := live.client.SendCopy(t.Context(), one); string(r.Body) != want || r.Protocol != protocol {
			t.Errorf("other %t: the server saw %q over %s (%v), want %s", other, r.Body, r.Protocol, r.Err, want)
		}
		together = append(together, one, one)
	}
	results := live.client.Release(t.Context(), together, wire.HoldBody)
	first := string(results[0].Body)
	for i, want := range []string{first, first, other(first), other(first)} {
		if r := results[i]; string(r.Body) != want || r.Protocol != protocol {
			t.Errorf("copy %d: the server saw %q over %s (%v), want %s", i, r.Body, r.Protocol, r.Err, want)
		}
	}
	if shared := results[0].Connection == results[1].Connection; shared != http2 || results[0].Connection == results[2].Connection {
		t.Errorf("connections %d %d %d %d", results[0].Connection, results[1].Connection, results[2].Connection, results[3].Connection)
	}
}

// other is the other one of two principals.
func other(name string) string {
	if name == "one" {
		return "two"
	}
	return "one"
}

// TestCertificatesNeedTLS: over http nobody would see them.
func TestCertificatesNeedTLS(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, "one")
	certify(t, dir, "two")
	if _, err := certified(t, dir, "http://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "shown over https alone") {
		t.Errorf("%v", err)
	}
	os.Remove(filepath.Join(dir, "two.key"))
	if _, err := certified(t, dir, "https://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "certified.yaml:7:") {
		t.Errorf("a key that is missing: %v", err)
	}
}
