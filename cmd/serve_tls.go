package cmd

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"time"

	"github.com/idem-toolkit/idem/internal/certificate"
	"github.com/idem-toolkit/idem/internal/problem"
)

// ownCertificate bounds a certificate that was made here: a demonstration needs
// no longer one.
const ownCertificate = 365 * 24 * time.Hour

// serveTLS gives the configuration of a service that speaks https with the
// certificate and key of a PEM file. Where the file is not there they are made,
// for the addresses that are listened on: then it is what clients must trust. It
// stays, so that the service is the same to them when it is started again.
func serveTLS(file string, addresses []string) (*tls.Config, error) {
	text, err := readPEM(file)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = selfSigned(addresses, time.Now()); err != nil {
			return nil, problem.New("--tls", "no certificate can be made: %s", err)
		}
		if err = writePEM(file, text); errors.Is(err, fs.ErrExist) { // another process was faster
			text, err = readPEM(file)
		}
	}
	if err != nil {
		return nil, problem.New("--tls", "%s: %s", file, reason(err))
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, problem.New("--tls", "%s holds no certificate with its key: %s", file, err).
			WithHint("the PEM blocks of both in one file; or --tls new.pem, which is made where it is not there")
	}
	if time.Now().After(pair.Leaf.NotAfter) {
		return nil, problem.New("--tls", "the certificate in %s has expired", file).WithHint("remove it, and a new one is made")
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// mostPEM bounds a file of certificates in bytes: a device has no end.
const mostPEM = 1 << 20

func readPEM(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostPEM))
}

// selfSigned makes a key, and a certificate that signs itself, for this machine
// and for the hosts of the addresses.
func selfSigned(addresses []string, now time.Time) ([]byte, error) {
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "idem serve"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(ownCertificate),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	for _, address := range addresses {
		host, _, err := net.SplitHostPort(address)
		switch ip := net.ParseIP(host); {
		case err != nil || host == "":
		case ip == nil && !slices.Contains(template.DNSNames, host):
			template.DNSNames = append(template.DNSNames, host)
		case ip != nil && !ip.IsUnspecified() && !slices.ContainsFunc(template.IPAddresses, ip.Equal):
			template.IPAddresses = append(template.IPAddresses, ip)
		}
	}
	public, secret, err := certificate.SelfSigned(template)
	return append(public, secret...), err
}

// writePEM makes a file that its owner alone may read, whole or not at all.
// One that is there is left alone, and is an error.
func writePEM(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(file)
	}
	return err
}
