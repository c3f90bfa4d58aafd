package nginx

import (
	"crypto/tls"
	"os"

	"github.com/idem-toolkit/idem/internal/certificate"
)

// certify writes a certificate for 127.0.0.1 that signs itself, and its key, and
// gives the configuration of a client that trusts it.
func certify(certificateFile, keyFile string) (*tls.Config, error) {
	public, secret, err := certificate.Loopback()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(certificateFile, public, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(keyFile, secret, 0o600); err != nil {
		return nil, err
	}
	return certificate.Trusting(public)
}
