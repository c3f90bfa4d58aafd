package testneed

import "testing"

// Missing ends a test that needs something which is not here: in CI it fails,
// elsewhere it is skipped with the reason.
func Missing(t testing.TB, what string) {
	t.Helper()
	missing(t, "no %s", what)
}

// Long skips a test under -short, with the reason.
func Long(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("skipped under -short: %s", why)
	}
}
