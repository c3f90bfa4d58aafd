// Package testneed gives tests what not every machine has: PostgreSQL, Redis,
// Node, Python and Maven. Where it is missing a test is skipped with the reason,
// and fails where CI=true, so that nothing passes by not having run.
package testneed

import (
	"os"
	"os/exec"
	"testing"
)

// Node returns the path of the node program.
func Node(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not in PATH")
	}
	return path
}

// missing ends the test: skipped on a person's machine, failed in CI.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needed in CI: "+format, args...)
	}
	t.Skipf("skipped, runs in CI: "+format, args...)
}
