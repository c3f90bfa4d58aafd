// Package testneed gives tests what not every machine has: PostgreSQL, MariaDB,
// Redis, nginx, Node, Python, Java, Maven and GNU parallel. Where it is missing a test
// is skipped with the reason, and fails where CI=true, so that nothing passes by
// not having run.
package testneed

import (
	"os"
	"testing"
)

// Node returns the path of the node program.
func Node(t testing.TB) string {
	t.Helper()
	return Program(t, "node")
}

// missing ends the test: skipped on a person's machine, failed in CI.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needed in CI: "+format, args...)
	}
	t.Skipf("skipped, runs in CI: "+format, args...)
}
