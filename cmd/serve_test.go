package cmd

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// server is an idem serve in a process of its own.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr bytes.Buffer
	out    *bufio.Reader // what it says after its first line
	url    string
}

func startServer(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be told to stop by a signal here")
	}
	s := &server{t: t, cmd: exec.Command("idem", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)}
	s.cmd.Env = append(os.Environ(), env...)
	s.cmd.Stderr = &s.stderr
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("said %q, %v", line, err)
	}
	s.url = url
	return s
}

// stop terminates the server, which is its orderly end: exit 0.
func (s *server) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("ended with %v: %s", err, s.stderr.String())
	}
}

func (s *server) charge(key, body string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequest("POST", s.url+"/v1/charges", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", key)
	req.Header.Set("Authorization", "Bearer TOKEN-OF-CALLER")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, string(text)
}

const oneCharge = `{"order_id":"o-1","amount":1999,"currency":"EUR"}`

func TestServeKeepsItsPromiseOverARestart(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "charges.db")
	s := startServer(t, nil, "--store", store)
	first, body := s.charge("KEY-OF-ORDER-1", oneCharge)
	s.stop()
	if s.stderr.Len() > 0 {
		t.Errorf("said %q", s.stderr.String())
	}
	s = startServer(t, nil, "--store", store, "--verbose")
	again, replay := s.charge("KEY-OF-ORDER-1", oneCharge)
	if first.StatusCode != 201 || again.StatusCode != 201 || body != replay || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%d %s, then %d %s", first.StatusCode, body, again.StatusCode, replay)
	}
	s.stop()
	if said := s.stderr.String(); !strings.Contains(said, "key_hash") || strings.Contains(said, "OF-ORDER") || strings.Contains(said, "OF-CALLER") {
		t.Errorf("said %q", said)
	}
}

func TestReplicasOnOnePostgresAreOneService(t *testing.T) {
	dsn := testneed.Postgres(t)
	env := []string{"CHARGES_DSN=" + dsn}
	a := startServer(t, env, "--store-env", "CHARGES_DSN", "--instance", "a")
	b := startServer(t, nil, "--store", dsn, "--instance", "b")
	first, body := a.charge("k", oneCharge)
	again, replay := b.charge("k", oneCharge)
	if first.StatusCode != 201 || body != replay || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%d %s, then %d %s", first.StatusCode, body, again.StatusCode, replay)
	}
	if x, y := first.Header.Get("X-Served-By"), again.Header.Get("X-Served-By"); x != "a" || y != "b" {
		t.Errorf("served by %s and %s", x, y)
	}
	a.stop()
	b.stop()
}

func TestServeSaysThatItsPortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, err := exec.Command("idem", "serve", "--listen", l.Addr().String()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "idem: --listen: ") || !strings.Contains(string(out), "hint: ") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestListenAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:0": true, "127.9.9.9:80": true, "[::1]:8080": true, "localhost:8080": true,
		":8080": false, "0.0.0.0:8080": false, "[::]:0": false, "192.0.2.1:80": false, "example.test:80": false,
		"8080": false, "127.0.0.1": false, "": false,
	} {
		if err := checkListen("--listen", address, false); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	if err := checkListen("--listen", "0.0.0.0:8080", true); err != nil {
		t.Error(err)
	}
	if checkListen("--listen", "8080", true) == nil {
		t.Error("8080 is not HOST:PORT")
	}
}

func TestReplicasOfOneProcessAreOneService(t *testing.T) {
	s := startServer(t, nil, "--replica", "127.0.0.1:0", "--replica", "127.0.0.1:0")
	first, body := s.charge("k", oneCharge)
	served := []string{first.Header.Get("X-Served-By")}
	for range 2 {
		line, err := s.out.ReadString('\n')
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if err != nil || !ok {
			t.Fatalf("said %q, %v", line, err)
		}
		s.url = url
		again, replay := s.charge("k", oneCharge)
		if again.StatusCode != 201 || replay != body || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: %d %s", url, again.StatusCode, replay)
		}
		served = append(served, again.Header.Get("X-Served-By"))
	}
	if got := strings.Join(served, " "); got != "replica-1 replica-2 replica-3" {
		t.Errorf("served by %s", got)
	}
	s.stop()
}

func TestAFaultAndAStyleAreServed(t *testing.T) {
	s := startServer(t, nil, "--fault", "ignores-body")
	_, body := s.charge("k", oneCharge)
	again, replay := s.charge("k", strings.Replace(oneCharge, "1999", "5", 1))
	if again.StatusCode != 201 || replay != body {
		t.Errorf("the fault is not there: %d %s", again.StatusCode, replay)
	}
	s.stop()
	s = startServer(t, nil, "--style", "conflict-409", "--instance", "x", "--replica", "127.0.0.1:0")
	first, _ := s.charge("k", oneCharge)
	if again, said := s.charge("k", strings.Replace(oneCharge, "1999", "5", 1)); again.StatusCode != 409 {
		t.Errorf("the style is not there: %d %s", again.StatusCode, said)
	}
	if name := first.Header.Get("X-Served-By"); name != "x" {
		t.Errorf("served by %s", name)
	}
	s.stop()
}

// A replica whose port is taken keeps the others from serving: half a service
// would be judged as a whole one.
func TestServeSaysThatAReplicasPortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, err := exec.Command("idem", "serve", "--listen", "127.0.0.1:0", "--replica", l.Addr().String()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "idem: --replica: ") || strings.Contains(string(out), "listening") {
		t.Errorf("%v: %s", err, out)
	}
}
