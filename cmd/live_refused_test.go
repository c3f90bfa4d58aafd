package cmd

import (
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestAServiceThatRunsAlready is one error with one hint, and nothing is said
// of processes that were never started.
func TestAServiceThatRunsAlready(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	file, env := referenceContract(t, t.TempDir(), "--store, \"sqlite:memory\"", countedOverHTTP)
	env = append(env, "IDEM_DEMO_ADDRESS="+strings.TrimPrefix(other.URL, "http://"))
	r := runIdem(t, t.TempDir(), env, "verify", file, "--live")
	lines := strings.Split(strings.TrimSpace(r.err), "\n")
	if r.code != ExitUsage || len(lines) != 2 || !strings.Contains(lines[0], "something else already answers at "+other.URL+"/healthz") ||
		lines[1] != "hint: stop what answers there, or let the service use a free port" {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
}

// TestLastWordsStandInLines: what a service said before it ended is read line
// by line, and looks like no line of idem's own.
func TestLastWordsStandInLines(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	dir := t.TempDir()
	file, env := referenceContract(t, dir, "--store, \"sqlite:memory\"", countedOverHTTP)
	script := dir + "/service.sh"
	write(t, script, "#!/bin/sh\necho 'Traceback:' >&2\nprintf 'hint: \\033[31mno\\n' >&2\nexit 3\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	r := runIdem(t, dir, append(env, "IDEM_DEMO_PROGRAM="+script), "verify", file, "--live")
	_, said, found := strings.Cut(r.err, "the service ended (exit 3) before it was ready; its last words:\n")
	if r.code != ExitUsage || !found || said != "  Traceback:\n  hint: \\u001b[31mno\n" {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
}
