package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// replaying is a small service that keeps its promise: a key's operation runs
// once, and duplicates wait for its answer.
func replaying(t *testing.T) *httptest.Server {
	var mu sync.Mutex
	answers := map[string]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		mu.Lock()
		defer mu.Unlock()
		key := r.Header.Get("Idempotency-Key")
		if answers[key] == "" {
			time.Sleep(5 * time.Millisecond) // the work
			answers[key] = fmt.Sprintf(`{"id":"ch_%d"}`, len(answers))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, answers[key])
	}))
	t.Cleanup(s.Close)
	return s
}

// replayingContract is a contract of it.
const replayingContract = `idem: contract/v1
name: charges
target: {base_urls: [BASE], allow_hosts: [127.0.0.1], timeout: 5s}
operations:
  - name: create-charge
    request: {method: POST, path: /charges, headers: {Content-Type: application/json}, body: {order: o-1}, fresh: [/order]}
    key: {header: Idempotency-Key, generate: uuid4}
    promise: {duplicate: replay, in_flight: {wait: true}, retention: 24h}
    effects: responses
`

// TestTraceCannotBeWritten: where the trace does not fit, the run ends, what fits
// is judged, and the report says the code that the process ends with.
func TestTraceCannotBeWritten(t *testing.T) {
	service := replaying(t)
	for _, format := range []string{"human", "tap", "json"} {
		dir := t.TempDir()
		file, trace := filepath.Join(dir, "contract.yaml"), filepath.Join(dir, "run.ndjson")
		write(t, file, strings.Replace(replayingContract, "BASE", service.URL, 1))
		c := exec.Command("sh", "-c", `ulimit -f 32 && exec "$0" "$@"`, buildIdem(t), "verify", file, "--live", "--only", "duplicate,concurrent",
			"--trace", trace, "--format", format)
		var out, said strings.Builder
		c.Dir, c.Stdout, c.Stderr = dir, &out, &said
		c.Run()
		if code := c.ProcessState.ExitCode(); code != ExitUsage || !strings.Contains(said.String(), "trace: cannot be written: ") {
			t.Fatalf("exit %d\n%s%s", code, out.String(), said.String())
		}
		if info, err := os.Stat(trace); err != nil || info.Size() == 0 {
			t.Fatalf("nothing was written: %v", err)
		}
		if format == "json" {
			var report struct {
				Exit  int
				Notes []string
			}
			if err := json.Unmarshal([]byte(out.String()), &report); err != nil || report.Exit != ExitUsage ||
				!strings.Contains(strings.Join(report.Notes, "\n"), "cannot be written") {
				t.Errorf("%v: %+v", err, report)
			}
			continue
		}
		if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(text, "exit 2, the trace could not be written") || strings.Contains(text, "exit 130") {
			t.Errorf("%s:\n%s", format, out.String())
		}
	}
}
