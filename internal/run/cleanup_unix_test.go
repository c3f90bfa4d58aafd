//go:build unix

package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestCleanupCommand: what the command gets, and what it does not.
func TestCleanupCommand(t *testing.T) {
	const sh = "/bin/sh"
	dir := t.TempDir()
	spec, err := contract.Parse(filepath.Join(dir, "t.yaml"), []byte(testContract), nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{live: &Live{options: Options{Contract: spec, RunID: "0123456789abcdef", Secrets: []string{"IDEM_KEY_SECRET"},
		Environ: []string{"IDEM_KEY_SECRET=hunter2", "PATH=" + os.Getenv("PATH")}}, mask: &trace.Masker{}}}
	m := &Made{Operation: spec.Operations[0], Key: "k-1", Fresh: map[string]string{"/order_id": "o 1"}, Answer: []byte(`{"id":7}`)}
	run := func(script string) error {
		return w.cleanup([]string{sh, "-c", script, "sh", "{fresh:/order_id}"})(t.Context(), m)
	}
	if err := run(`printf '%s|%s|%s|%s|%s|%s|' "$1" "$IDEM_FRESH_ORDER_ID" "$IDEM_OPERATION" "$IDEM_KEY" "$IDEM_RUN_ID" "$IDEM_KEY_SECRET" >out; cat >>out`); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "out")); string(b) != `o 1|o 1|charge|k-1|0123456789abcdef||{"id":7}` {
		t.Errorf("%s", b)
	}
	if err := run("echo gone wrong >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "exit 3") || !strings.Contains(err.Error(), "gone wrong") {
		t.Error(err)
	}
	if err := w.cleanup([]string{"./not-there"})(t.Context(), m); err == nil {
		t.Error("a program that is not there cleans up")
	}
	if w.cleanup(nil) != nil {
		t.Error("nothing is declared, and something would be called")
	}
}
