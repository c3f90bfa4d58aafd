package run

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// buildSigner builds the command that signs in these tests; a test program
// that was its own would start too slowly under the race detector.
var builtSigner struct {
	once sync.Once
	path string
	err  error
}

func buildSigner(t *testing.T) string {
	t.Helper()
	builtSigner.once.Do(func() {
		dir, err := os.MkdirTemp("", "idem-signer-")
		if err != nil {
			builtSigner.err = err
			return
		}
		builtSigner.path = filepath.Join(dir, "signer")
		if runtime.GOOS == "windows" {
			builtSigner.path += ".exe"
		}
		build := exec.Command("go", "build", "-buildvcs=false", "-o", builtSigner.path, "./testdata/signer")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := build.CombinedOutput(); err != nil {
			builtSigner.err = fmt.Errorf("%w\n%s", err, said)
		}
	})
	if builtSigner.err != nil {
		t.Fatal(builtSigner.err)
	}
	return builtSigner.path
}

const signedContract = `idem: contract/v1
name: signed
target:
  base_urls: ["%s/api"]
  allow_hosts: [127.0.0.1]
  auth: {command: [%q], per: attempt}
  other_auth: {command: [%q, other], per: attempt}
operations:
  - name: charge
    request: {method: POST, path: "/v1/charges?a=%%20b", headers: {Content-Type: application/json}, body: {order_id: "o-1", amount: 1999}, fresh: [/order_id]}
    key: {header: Idempotency-Key, generate: uuid4}
    promise: {duplicate: replay, in_flight: {wait: true}, marker: {header: Idempotent-Replayed, value: "true"}, ignore: [/nonce]}
`

// prepared is a run of the signed contract, ready.
func prepared(t *testing.T, url, role string, only ...string) (*Live, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "signed.yaml")
	spec, err := contract.Parse(file, fmt.Appendf(nil, signedContract, url, buildSigner(t), buildSigner(t)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return Prepare(t.Context(), Options{Contract: spec, Selection: probe.Selection{Only: only}, Seed: 1, RunID: "0123456789abcdef",
		Keys: probe.GeneratedKeys{}, Lookup: os.LookupEnv, Began: time.Now(),
		Environ: append(os.Environ(), "IDEM_TEST_SIGNER="+role, "IDEM_TEST_CALLS="+filepath.Join(t.TempDir(), "calls"))})
}

// recorder is a right server that keeps every request's bytes. It tells its
// caller the signature that it got, as some APIs do in their errors.
type recorder struct {
	mu      sync.Mutex
	raw     [][]byte
	answers map[string]string // by key: what it said first, without the signature
}

func startRecorder(t *testing.T) (*recorder, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &recorder{answers: map[string]string{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.answer(c)
		}
	}()
	return r, "http://" + l.Addr().String()
}

func (r *recorder) answer(c net.Conn) {
	defer c.Close()
	var raw bytes.Buffer
	q, err := http.ReadRequest(bufio.NewReader(io.TeeReader(c, &raw)))
	if err != nil {
		return
	}
	io.Copy(io.Discard, q.Body)
	time.Sleep(3 * time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw = append(r.raw, raw.Bytes())
	key, marker := q.Header.Get("Idempotency-Key"), "Idempotent-Replayed: true\r\n"
	if r.answers[key] == "" {
		r.answers[key], marker = fmt.Sprintf(`"id":%d`, len(r.raw)), ""
	}
	body := fmt.Sprintf(`{%s,"time":1767225600,"signature":%q,"nonce":%q}`, r.answers[key], q.Header.Get("X-Sig"), q.Header.Get("X-Nonce"))
	fmt.Fprintf(c, "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", marker, len(body), body)
}

// unsigned takes the lines that the command added out of a request.
func unsigned(raw []byte) (rest []byte, sig, nonce string) {
	for _, line := range bytes.SplitAfter(raw, []byte("\n")) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), ": ")
		switch name {
		case "X-Sig":
			sig = value
		case "X-Nonce":
			nonce = value
		case "X-Time":
		default:
			rest = append(rest, line...)
		}
	}
	return rest, sig, nonce
}

// TestEveryAttemptIsSigned: each copy has a signature of its own over the very
// bytes that travel, all else of a key's requests is the same, copies still go
// out together, and no record holds a signature.
func TestEveryAttemptIsSigned(t *testing.T) {
	server, url := startRecorder(t)
	live, err := prepared(t, url, "sign", "duplicate", "concurrent")
	if err != nil {
		t.Fatal(err)
	}
	var recorded bytes.Buffer
	if err := live.Run(t.Context(), trace.NewWriter(&recorded)); err != nil {
		t.Fatal(err)
	}
	nonces, byKey := map[string]bool{}, map[string][]byte{}
	for _, raw := range server.raw {
		rest, sig, nonce := unsigned(raw)
		if sum := sha256.Sum256(rest); sig != fmt.Sprintf("v1 keyId=auth,sum=%x", sum) {
			t.Fatalf("the signature %q is not of these bytes:\n%s", sig, raw)
		}
		if nonces[nonce] {
			t.Errorf("the nonce %s came twice", nonce)
		}
		nonces[nonce] = true
		q, _ := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		key := q.Header.Get("Idempotency-Key")
		if first := byKey[key]; first != nil && !bytes.Equal(first, rest) {
			t.Errorf("another request under one key:\n%s\n%s", first, rest)
		}
		byKey[key] = rest
		if bytes.Contains(recorded.Bytes(), []byte(nonce)) || bytes.Contains(recorded.Bytes(), []byte(sig)) ||
			bytes.Contains(recorded.Bytes(), []byte(sig[len(sig)-64:])) {
			t.Fatal("a signature or nonce is in the trace")
		}
	}
	if len(nonces) < 50 || !bytes.Contains(recorded.Bytes(), []byte(`time\":1767225600`)) {
		t.Errorf("%d requests; a time that the command printed must not be masked", len(nonces))
	}
	report, err := probe.Judge(trace.Read(&recorded))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Operations[0].Steps[:2] {
		if s.Verdict != probe.Pass {
			t.Errorf("%s: %s %v %v", s.Step, s.Verdict, s.Reasons, s.Findings)
		}
	}
	if m := report.Operations[0].Steps[1].Evidence.Measures; !slices.ContainsFunc(m, func(m probe.Measure) bool { return m.Value == "11, overlapped 11" }) {
		t.Errorf("copies that are signed do not overlap: %v", m)
	}
}

// TestWhoCannotSignIsToldBeforeAnythingIsSent.
func TestWhoCannotSignIsToldBeforeAnythingIsSent(t *testing.T) {
	server, url := startRecorder(t)
	for role, want := range map[string]string{
		"fail":       "the credential's command failed (exit 3); its last words:\n  no key in the agent",
		"mute":       "the credential is empty",
		"much":       "printed more than 65536 bytes",
		"prose":      "printed a line that is no header",
		"twice":      "makes the header content-type, which the request has already",
		"framing":    "the header Host is set by idem",
		"folded":     "a line end or a control character",
		"production": "looks like one of production",
	} {
		_, err := prepared(t, url, role)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", role, err, want)
			continue
		}
		if strings.Contains(err.Error(), "sk_live_4f") || role != "framing" && role != "folded" && !strings.Contains(err.Error(), "signed.yaml:6:") {
			t.Errorf("%s: %v", role, err)
		}
		if role == "fail" && problem.Hint(err) == "" {
			t.Error("no hint")
		}
	}
	if len(server.raw) > 0 {
		t.Errorf("%d requests were sent", len(server.raw))
	}
}

// TestSignersAreTold what they sign, and for whom.
func TestSignersAreTold(t *testing.T) {
	_, url := startRecorder(t)
	live, err := prepared(t, url, "told")
	if err != nil {
		t.Fatal(err)
	}
	to := live.bases[0]
	for who, c := range map[string]Credential{"auth": live.world.targets["charge"].Auth, "other_auth": live.world.targets["charge"].Other} {
		lines, err := c.added(t.Context(), to, wire.Message{Method: "POST", Target: "/v1/charges?a=%20b"}, "k-1")
		want := [][2]string{{"X-Told", "POST http " + strings.TrimPrefix(url, "http://") + " /api/v1/charges?a=%20b k-1 " + who}}
		if err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s: %v %v, want %v", who, lines, err, want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := live.world.auth.added(ended, to, wire.Message{Method: "POST", Target: "/"}, ""); err == nil {
		t.Error("an interrupted run signs on")
	}
}

// TestACommandThatFaltersPassesNothing: what could not be signed was not sent,
// and the reason is told.
func TestACommandThatFaltersPassesNothing(t *testing.T) {
	_, url := startRecorder(t)
	live, err := prepared(t, url, "falters", "duplicate")
	if err != nil {
		t.Fatal(err)
	}
	var recorded bytes.Buffer
	if err := live.Run(t.Context(), trace.NewWriter(&recorded)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(recorded.String(), "the agent has gone") {
		t.Error("the command's last words are not in the trace")
	}
	report, err := probe.Judge(trace.Read(&recorded))
	if err != nil {
		t.Fatal(err)
	}
	s := report.Operations[0].Steps[0]
	if s.Verdict != probe.Inconclusive {
		t.Errorf("%s %v %v", s.Verdict, s.Reasons, s.Findings)
	}
}

// TestPartsOfACredentialAreMasked where it stands in one header: what follows
// the scheme may come back by itself, as in a failing command's last words.
func TestPartsOfACredentialAreMasked(t *testing.T) {
	_, url := startRecorder(t)
	live, err := prepared(t, url, "")
	if err != nil {
		t.Fatal(err)
	}
	auth := &contract.Auth{Header: "Authorization", Command: []string{"sign"}, Per: "attempt"}
	if _, err := live.lines(auth, "Bearer made-up-0123456789abcdef", "c.yaml:6", "auth"); err != nil {
		t.Fatal(err)
	}
	if said := live.mask.Text("refused: made-up-0123456789abcdef, at 12:30"); said != "refused: «auth», at 12:30" {
		t.Errorf("%q", said)
	}
}
