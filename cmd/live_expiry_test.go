package cmd

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// startServe starts a reference service and gives its base URL.
func startServe(t *testing.T, flags ...string) string {
	t.Helper()
	c := exec.Command(buildIdem(t), append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the service said nothing: %v", err)
	}
	return strings.TrimSpace(line[strings.Index(line, "http://"):])
}

// TestExpiryOnAnInstanceOfItsOwn passes a short retention on one instance
// while the other steps run on another that remembers for a day: requests and
// counts of the step both go to the first.
func TestExpiryOnAnInstanceOfItsOwn(t *testing.T) {
	testneed.Long(t, "the retention takes three seconds to pass")
	t.Parallel()
	main := startServe(t, "--retention", "24h")
	short := startServe(t, "--retention", "3s", "--lease", "1s")
	dir := t.TempDir()
	file, env := referenceContract(t, dir, "--store, \"sqlite:memory\"",
		"      http: {method: GET, path: \"/v1/effects?order_id={fresh:/order_id}\", count: \"$.data[*]\"}")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	begin, end := strings.Index(text, "    crash:"), strings.Index(text, "    expiry:")
	text = text[:begin] + "    expiry: {wait: 3s, base_urls: [\"" + short + "\"]}\n" + text[end+len("    expiry: {wait: 5s}\n"):]
	text = strings.Replace(text, "http://${IDEM_DEMO_ADDRESS}", main, 1)
	text = strings.Replace(text, "{at_least: 5s, at_most: 6s, from: first_use}", "{at_least: 24h, at_most: 36h, from: first_use}", 1)
	write(t, file, text)
	r := settledRun(t, dir, env, "verify", file, "--live", "--only", "duplicate,expiry", "--format", "json")
	if r.code != ExitDone || strings.Count(r.out, `"verdict": "pass"`) < 4 {
		t.Errorf("exit %d\n%s\n%s", r.code, r.out, r.err)
	}
}
