package wire

import (
	"crypto/tls"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Endpoint is where requests go: one base URL of a contract, and as whom where
// that is a matter of certificates. Make one with ParseEndpoint.
type Endpoint struct {
	secure bool
	name   string // host without port and brackets, lower case
	port   string
	host   string // value of the Host field
	base   string // path that every target is joined to, without a slash at its end
	tls    *tls.Config
	speaks Protocol
}

// ParseEndpoint reads a base URL, http or https, perhaps with a path. A TLS
// configuration is optional; without one the system's roots decide and no
// certificate is shown. Errors never repeat the URL: it may hold a secret.
func ParseEndpoint(base string, config *tls.Config) (Endpoint, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return Endpoint{}, problem.New("", "the base URL cannot be read").WithHint("http://127.0.0.1:8080")
	case u.Scheme != "http" && u.Scheme != "https":
		return Endpoint{}, problem.New("", "the base URL is neither http:// nor https://").WithHint("http://127.0.0.1:8080")
	case u.User != nil:
		return Endpoint{}, problem.New("", "the base URL holds a user or password; credentials belong under auth")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return Endpoint{}, problem.New("", "the base URL has a query or a fragment; a query belongs to the operation's path")
	case u.Hostname() == "" || u.Opaque != "":
		return Endpoint{}, problem.New("", "the base URL names no host").WithHint("http://127.0.0.1:8080")
	}
	e := Endpoint{
		secure: u.Scheme == "https",
		name:   strings.ToLower(u.Hostname()),
		port:   u.Port(),
		base:   strings.TrimRight(u.EscapedPath(), "/"),
		tls:    config,
	}
	if !isHostName(e.name) {
		return Endpoint{}, problem.New("", "the base URL's host has characters that no host name has; international names are written as xn--")
	}
	if err := e.setPort(); err != nil {
		return Endpoint{}, err
	}
	return e, nil
}

// setPort fills in the scheme's own port, which the Host field leaves out
// (RFC 9110, 4.2).
func (e *Endpoint) setPort() error {
	usual := "80"
	if e.secure {
		usual = "443"
	}
	e.host = e.name
	if strings.Contains(e.name, ":") {
		e.host = "[" + e.name + "]"
	}
	if e.port == "" || e.port == usual {
		e.port = usual
		return nil
	}
	if n, err := strconv.Atoi(e.port); err != nil || n < 1 || n > 65535 {
		return problem.New("", "the base URL's port is not between 1 and 65535")
	}
	e.host += ":" + e.port
	return nil
}

// isHostName lets through names and addresses; zones (%) are left to nobody.
func isHostName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_' || c == ':') {
			return false
		}
	}
	return true
}

// Name is the host without port, as AllowHosts is asked for it.
func (e Endpoint) Name() string { return e.name }

// HostField is the value of the Host field.
func (e Endpoint) HostField() string { return e.host }

// Join gives the target for a path below the base URL.
func (e Endpoint) Join(target string) string { return e.base + target }

// As gives the endpoint as another principal reaches it, who shows the
// certificate of that configuration; with nil none.
func (e Endpoint) As(config *tls.Config) Endpoint {
	e.tls = config
	return e
}

// Speaking gives the endpoint as it is spoken to in a version of HTTP. Without
// it that is HTTP/1.1.
func (e Endpoint) Speaking(p Protocol) Endpoint {
	e.speaks = p
	return e
}

// Speaks gives the version of HTTP that the endpoint is spoken to in.
func (e Endpoint) Speaks() Protocol { return e.speaks }

// Secure says that the base URL is https.
func (e Endpoint) Secure() bool { return e.secure }

// Encode gives a message as it travels to the endpoint: the bytes that a
// signature may cover.
func (e Endpoint) Encode(m Message) ([]byte, error) {
	m.Target = e.Join(m.Target)
	return m.Encode(e.host)
}

// String is the base URL.
func (e Endpoint) String() string {
	if e.secure {
		return "https://" + e.host + e.base
	}
	return "http://" + e.host + e.base
}

func (e Endpoint) address() string { return net.JoinHostPort(e.name, e.port) }

// tlsConfig is the configuration of one connection. What is offered is what
// may then be spoken. Records are as large as they can be from the first on:
// the released bytes are to be one.
func (e Endpoint) tlsConfig() *tls.Config {
	config := &tls.Config{}
	if e.tls != nil {
		config = e.tls.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = e.name
	}
	if config.MinVersion == 0 {
		config.MinVersion = tls.VersionTLS12
	}
	config.DynamicRecordSizingDisabled = true
	switch e.speaks {
	case HTTP2:
		config.NextProtos = []string{"h2"}
	case Negotiated:
		config.NextProtos = []string{"h2", "http/1.1"}
	default:
		config.NextProtos = []string{"http/1.1"}
	}
	return config
}

// ClientCertificate makes the TLS configuration of a principal that shows a
// certificate: two PEM files.
func ClientCertificate(certFile, keyFile string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, problem.New(certFile, "the certificate and its key cannot be used: %s", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}
