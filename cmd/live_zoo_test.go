package cmd

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// zooContract writes a contract as idem serve prints it and gives its path, the
// variables that its head says to export, on free ports, and its head.
func zooContract(t *testing.T, args ...string) (dir, file, head string, env []string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("timing of kills has not been tried there")
	}
	dir = t.TempDir()
	printed := runIdem(t, dir, nil, append([]string{"serve"}, args...)...)
	file = filepath.Join(dir, "zoo.yaml")
	write(t, file, printed.out)
	head, _, _ = strings.Cut(printed.out, "\nidem: ")
	address := "127.0.0.1:" + testneed.Port(t)
	replica := "127.0.0.1:" + testneed.Port(t)
	for line := range strings.Lines(head) {
		if line, ok := strings.CutPrefix(line, "#   export "); ok {
			line, _, _ = strings.Cut(line, "#")
			env = append(env, strings.NewReplacer("127.0.0.1:8081", address, "127.0.0.1:8082", replica).Replace(strings.TrimSpace(line)))
		}
	}
	env = append(env, "PATH="+filepath.Dir(buildIdem(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir, file, head, env
}

// TestAFaultIsShownAgain goes the whole way: a fault's contract as it is
// printed, with what its head says to export; its finding; the finding's
// script, which sends as both callers; and that script on a server without
// the fault.
func TestAFaultIsShownAgain(t *testing.T) {
	testneed.Long(t, "a check, and curl")
	t.Parallel()
	for _, tool := range []string{"sh", "curl"} {
		testneed.Program(t, tool)
	}
	dir, file, _, env := zooContract(t, "--fault", "caller-left-out", "--contract")
	bare := runIdem(t, dir, nil, "verify", file, "--live", "--only", "scope")
	const all = "variables IDEM_ZOO_ADDRESS, IDEM_ZOO_REPLICA, IDEM_ZOO_TOKEN, IDEM_ZOO_OTHER_TOKEN, IDEM_ZOO_PROGRAM and IDEM_ZOO_STORE are not set"
	if bare.code != ExitUsage || !strings.Contains(bare.err, all) || !strings.Contains(bare.err, "hint: export IDEM_ZOO_ADDRESS=... IDEM_ZOO_REPLICA=") {
		t.Errorf("nothing is set: exit %d\n%s", bare.code, bare.err)
	}
	checked := settledRun(t, dir, env, "verify", file, "--live", "--only", "scope", "--trace", "run.ndjson")
	if checked.code != ExitBroken || !strings.Contains(checked.out, ", as the other caller [neighbour]") ||
		!strings.Contains(checked.out, "idem report run.ndjson --script scope/other-callers-result") {
		t.Fatalf("exit %d\n%s%s", checked.code, checked.out, checked.err)
	}
	script := runIdem(t, dir, nil, "report", "run.ndjson", "--script", "scope/other-callers-result")
	for fault, leaks := range map[string]bool{"caller-left-out": true, "": false} {
		args := []string{"--retention", "1m"}
		if fault != "" {
			args = append(args, "--fault", fault)
		}
		again := exec.CommandContext(t.Context(), "sh")
		again.Env = append(os.Environ(), append(env, "BASE_URL="+startServe(t, args...))...)
		again.Stdin = strings.NewReader(script.out)
		said, err := again.CombinedOutput()
		_, answers, _ := bytes.Cut(said, []byte("== 4 neighbour, as the other caller"))
		_, answers, _ = bytes.Cut(answers, []byte("\n"))
		answers, _, _ = bytes.Cut(answers, []byte("\n== "))
		if err != nil || !bytes.Contains(answers, []byte(" 201 ")) || bytes.Contains(answers, []byte("Idempotent-Replayed")) != leaks {
			t.Errorf("fault %q: %v\n%s\n%s", fault, err, said, script.out)
		}
	}
}

// TestAServerStartedByHand: the contract of one in memory says how.
func TestAServerStartedByHand(t *testing.T) {
	testneed.Long(t, "a check of a second")
	t.Parallel()
	dir, file, head, env := zooContract(t, "--style", "conflict-409", "--contract=memory")
	_, command, found := strings.Cut(head, "# Start the service yourself before:\n#   ")
	if !found {
		t.Fatalf("no command in\n%s", head)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", "exec "+strings.TrimSpace(command))
	c.Env = append(os.Environ(), env...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	address := ""
	for _, v := range env {
		if a, ok := strings.CutPrefix(v, "IDEM_ZOO_ADDRESS="); ok {
			address = a
		}
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if r, err := http.Get("http://" + address + "/healthz"); err == nil {
			r.Body.Close()
			break
		}
	}
	if r := settledRun(t, dir, env, "verify", file, "--live", "--only", "duplicate,conflict"); r.code != ExitDone {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}
