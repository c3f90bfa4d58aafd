package cmd

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// healthTime bounds a health check: container engines ask every few seconds.
const healthTime = 5 * time.Second

// checkHealth asks a running service whether it serves, for containers that
// hold this program and no other. It fails with ExitBroken where it does not.
func checkHealth(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.User != nil {
		return problem.New("--healthcheck", "is not the URL of a service").WithHint("--healthcheck http://127.0.0.1:8080/healthz")
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		return problem.New("--healthcheck", "a service is asked on its own machine alone").WithHint("--healthcheck http://127.0.0.1:8080/healthz")
	}
	ctx, done := context.WithTimeout(ctx, healthTime)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return problem.New("--healthcheck", "is not the URL of a service")
	}
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return &exitCode{code: ExitBroken, err: problem.New(u.Host, "%s", rootCause(err))}
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode != http.StatusOK {
		return &exitCode{code: ExitBroken, err: problem.New(u.Host, "the service answered %s", resp.Status)}
	}
	return nil
}
