package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

// A client takes the server that it trusts, and no other that looks the same.
func TestOneCertificateIsTrustedAlone(t *testing.T) {
	certificate, key, err := Loopback()
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := Loopback()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		trusted []byte
		takes   bool
	}{{"127.0.0.1", certificate, true}, {"127.0.0.1", other, false}, {"127.0.0.2", certificate, false}} {
		config, err := Trusting(c.trusted)
		if err != nil {
			t.Fatal(err)
		}
		_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: c.name, Roots: config.RootCAs})
		if (err == nil) != c.takes {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, text := range [][]byte{nil, key} {
		if _, err := Trusting(text); err == nil {
			t.Errorf("%.30q is trusted", text)
		}
	}
}
