package run

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
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
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".pem": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
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
// a right server look as if it gave results to strangers.
func TestEachPrincipalShowsItsCertificate(t *testing.T) {
	dir := t.TempDir()
	clients := x509.NewCertPool()
	clients.AddCert(certify(t, dir, "one"))
	clients.AddCert(certify(t, dir, "two"))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
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
	for _, c := range []struct {
		other bool
		want  string
	}{{false, "one"}, {true, "two"}} {
		one, err := x.copy(t.Context(), q.ID, "", c.other)
		if err != nil {
			t.Fatal(err)
		}
		if r := live.client.SendCopy(t.Context(), one); string(r.Body) != c.want {
			t.Errorf("other %t: the server saw %q (%v), want %s", c.other, r.Body, r.Err, c.want)
		}
	}
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
