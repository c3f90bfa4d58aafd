package cmd

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// postTime bounds a call of a test hook.
const postTime = 10 * time.Second

// postHook calls a test hook of a running reference service, for contracts
// whose hooks must be commands that every system has: this program.
func postHook(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.HasPrefix(u.Path, "/admin/") {
		return problem.New("--post", "is not the URL of a test hook").
			WithHint("--post 'http://127.0.0.1:8080/admin/store?up=false'")
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		return problem.New("--post", "test hooks are called on this machine alone").
			WithHint("--post 'http://127.0.0.1:8080/admin/store?up=false'")
	}
	ctx, done := context.WithTimeout(ctx, postTime)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return problem.New("--post", "is not the URL of a test hook")
	}
	// The reference service always speaks HTTP/2, and may speak nothing else.
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return problem.New("--post", "%s", rootCause(err)).
			WithHint("idem serve --admin --listen %s", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")))
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode != http.StatusOK {
		return problem.New("--post", "the service answered %s", resp.Status).WithHint("idem serve --admin")
	}
	return nil
}
