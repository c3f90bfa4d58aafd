// Package nginx runs Debian's nginx in front of a service, for tests and
// benchmarks of what a proxy does to requests that pass through it.
//
// Start starts one, config.go has what it is told, certificate.go what it shows
// over TLS. It listens on loopback alone, writes into one folder alone, and ends
// with the process that started it, however that ends.
package nginx

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Bounds of starting.
const (
	starts   = 3 // another process may take a port that was free
	oneStart = 10 * time.Second
)

// Server is an nginx that runs. Its addresses are HOST:PORT.
type Server struct {
	Plain  string // HTTP/1.1
	Prior  string // HTTP/2 by prior knowledge, and nothing else (h2c)
	Secure string // TLS; ALPN chooses HTTP/2 or HTTP/1.1
	// Roots is the file with the certificate that it shows, for 127.0.0.1: what
	// SSL_CERT_FILE names for a program that is to trust it.
	Roots string
	// Trust is a client's configuration that trusts that certificate alone.
	Trust *tls.Config

	dir  string
	hold io.Closer
	run  *exec.Cmd
}

// Find gives the path of the program: in PATH, else where Debian has it, which
// only root's PATH names.
func Find() (string, error) {
	if path, err := exec.LookPath("nginx"); err == nil {
		return path, nil
	}
	const debians = "/usr/sbin/nginx"
	if info, err := os.Stat(debians); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return debians, nil
	}
	return "", errors.New("nginx is neither in PATH nor at " + debians)
}

// Version is what the program says of itself: "nginx/1.22.1".
func Version() (string, error) {
	program, err := Find()
	if err != nil {
		return "", err
	}
	said, err := exec.Command(program, "-v").CombinedOutput()
	_, version, found := strings.Cut(strings.TrimSpace(string(said)), "nginx version: ")
	if err != nil || !found {
		return "", fmt.Errorf("%s -v: %v: %s", program, err, said)
	}
	return version, nil
}

// Start starts an nginx in a folder of its own, which must be there and empty,
// and waits until it listens. The caller stops it.
func Start(dir string, c Config) (*Server, error) {
	program, err := Find()
	if err != nil {
		return nil, err
	}
	for range starts {
		var s *Server
		if s, err = start(program, dir, c); err == nil {
			return s, nil
		}
	}
	return nil, err
}

// holding runs a server for as long as its standard input stays open. TERM has
// the master take its workers along (nginx, control), which KILL would leave.
const holding = `"$@" & server=$!; read _; kill -TERM $server; wait $server`

func start(program, dir string, c Config) (*Server, error) {
	s := &Server{dir: dir, Roots: filepath.Join(dir, "certificate.pem")}
	var err error
	if s.Trust, err = certify(s.Roots, filepath.Join(dir, "key.pem")); err != nil {
		return nil, err
	}
	if err := s.takePorts(); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(c.text(s)), 0o600); err != nil {
		return nil, err
	}
	args := []string{"-p", dir, "-c", file, "-e", s.log()}
	if said, err := exec.Command(program, append([]string{"-t", "-q"}, args...)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("nginx refuses its configuration: %w: %s", err, said)
	}
	s.run = exec.Command("/bin/sh", append([]string{"-c", holding, "nginx", program}, args...)...)
	if s.hold, err = s.run.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.run.Start(); err != nil {
		return nil, err
	}
	if err := s.await(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// takePorts finds three ports that are free at the same time.
func (s *Server) takePorts() error {
	for _, address := range []*string{&s.Plain, &s.Prior, &s.Secure} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		*address = l.Addr().String()
	}
	return nil
}

// await waits until nginx has its ports: it takes all of them before it serves.
func (s *Server) await() error {
	for deadline := time.Now().Add(oneStart); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(s.pidFile()); err != nil {
			continue // what answers on the port before that is somebody else
		}
		if conn, err := net.DialTimeout("tcp", s.Secure, time.Second); err == nil {
			conn.Close()
			return nil
		}
	}
	return fmt.Errorf("nginx did not listen within %s: %s", oneStart, s.Log())
}

// Stop ends the server and waits until it has ended.
func (s *Server) Stop() {
	s.hold.Close()
	s.run.Wait()
}

// Log is what the server wrote into its error log.
func (s *Server) Log() string { return s.read(s.log()) }

// Passed is what it passed on, one line a request in the order in which they
// ended: method, path, status, and the upstreams' addresses and statuses, which
// are several where it went on to the next.
func (s *Server) Passed() string { return s.read(filepath.Join(s.dir, "access.log")) }

func (s *Server) log() string     { return filepath.Join(s.dir, "error.log") }
func (s *Server) pidFile() string { return filepath.Join(s.dir, "nginx.pid") }

func (s *Server) read(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
