package cmd

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// trusting is a client that trusts the certificates of a file.
func trusting(t *testing.T, file string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(file)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(text) {
		t.Fatalf("%s: %v", file, err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// The certificate is made once: who trusts it trusts the service after a
// restart, and its replica.
func TestServeMakesACertificateThatStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "charges.pem")
	var before []byte
	for range 2 {
		s := startServer(t, nil, "--tls", file, "--replica", "127.0.0.1:0")
		line, err := s.out.ReadString('\n')
		replica, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if err != nil || !ok {
			t.Fatalf("said %q, %v", line, err)
		}
		client := trusting(t, file)
		for _, url := range []string{s.url, replica, strings.Replace(s.url, "127.0.0.1", "localhost", 1)} {
			resp, err := client.Get(url + "/healthz")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if !strings.HasPrefix(url, "https://") || resp.StatusCode != 200 || resp.ProtoMajor != 2 {
				t.Errorf("%s: %s over %s", url, resp.Status, resp.Proto)
			}
		}
		if resp, err := http.Get(s.url + "/healthz"); err == nil {
			resp.Body.Close()
			t.Error("everybody trusts it")
		}
		s.stop()
		after, err := os.ReadFile(file)
		if err != nil || before != nil && !bytes.Equal(before, after) {
			t.Errorf("made anew, %v", err)
		}
		before = after
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the key: %v, %v", info.Mode(), err)
	}
}

func TestOwnCertificates(t *testing.T) {
	dir := t.TempDir()
	config, err := serveTLS(filepath.Join(dir, "new.pem"), []string{"192.0.2.7:443", "charges.test:0", "0.0.0.0:1", "[::]:1", ":80", "127.0.0.1:5"})
	if err != nil {
		t.Fatal(err)
	}
	leaf := config.Certificates[0].Leaf
	for host, want := range map[string]bool{"127.0.0.1": true, "::1": true, "localhost": true, "192.0.2.7": true, "charges.test": true,
		"0.0.0.0": false, "192.0.2.8": false, "example.test": false} {
		if err := leaf.VerifyHostname(host); (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
	if len(leaf.IPAddresses) != 3 || len(leaf.DNSNames) != 2 {
		t.Errorf("%v, %v", leaf.IPAddresses, leaf.DNSNames)
	}
	old := filepath.Join(dir, "old.pem")
	text, err := selfSigned(nil, time.Now().Add(-ownCertificate-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if err := writePEM(old, text); err != nil {
		t.Fatal(err)
	}
	if _, err := serveTLS(old, nil); err == nil || !strings.Contains(err.Error(), "has expired") {
		t.Errorf("expired: %v", err)
	}
	if err := writePEM(old, text); !os.IsExist(err) {
		t.Errorf("written over: %v", err)
	}
}
