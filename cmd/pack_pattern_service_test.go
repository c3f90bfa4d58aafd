package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// patternService is one that runs.
type patternService struct {
	address string
	process *os.Process
	said    *safeBuffer
}

// start starts the service on a port of its own; it is killed with the test.
func (p nodePattern) start(t *testing.T, env ...string) patternService {
	t.Helper()
	return startPattern(t, exec.Command(p.node, p.server()), env...)
}

func startPattern(t *testing.T, c *exec.Cmd, env ...string) patternService {
	t.Helper()
	s := patternService{said: &safeBuffer{}}
	c.Env = append(os.Environ(), "LISTEN=127.0.0.1:0")
	c.Env = append(c.Env, env...)
	c.Stderr = s.said
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.process = c.Process
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on http://")
	if err != nil || !ok {
		t.Fatalf("the service said %q, %v\n%s", line, err, s.said)
	}
	s.address = address
	return s
}

// safeBuffer is written by a process while a test reads it.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// shopReply is an answer of the pattern's service, whole.
type shopReply struct {
	status int
	header http.Header
	body   string
}

// post asks for an operation. Fields are "Name: value"; a name alone takes the
// field away that would be sent.
func (s patternService) post(t *testing.T, path, body string, fields ...string) shopReply {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + patternToken}}
	for _, f := range fields {
		name, value, given := strings.Cut(f, ": ")
		if !given {
			req.Header.Del(name)
		} else if name == "Idempotency-Key" {
			req.Header[name] = append(req.Header[name], value)
		} else {
			req.Header.Set(name, value)
		}
	}
	return s.do(t, req)
}

func (s patternService) get(t *testing.T, path string, fields ...string) shopReply {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+s.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		req.Header.Set(name, value)
	}
	return s.do(t, req)
}

// shopClient keeps no connection, so that each request meets the service alone.
var shopClient = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

func (s patternService) do(t *testing.T, req *http.Request) shopReply {
	t.Helper()
	resp, err := shopClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", req.Method, req.URL.Path, err, s.said)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return shopReply{resp.StatusCode, resp.Header, string(body)}
}

// orders counts what was really made of a cart.
func (s patternService) orders(t *testing.T, cart string) int {
	t.Helper()
	var list struct{ Data []json.RawMessage }
	if r := s.get(t, "/v1/orders?cart_id="+cart); r.status != 200 || json.Unmarshal([]byte(r.body), &list) != nil {
		t.Fatalf("orders: %d %s", r.status, r.body)
	}
	return len(list.Data)
}
