package testneed

import (
	"testing"

	"github.com/idem-toolkit/idem/internal/nginx"
)

// Nginx starts Debian's nginx in front of services, in a folder and on loopback
// ports of the test's own. It ends with the test, and where the test failed its
// error log is shown.
func Nginx(t testing.TB, c nginx.Config) *nginx.Server {
	t.Helper()
	if _, err := nginx.Find(); err != nil {
		missing(t, "%v (package nginx)", err)
	}
	s, err := nginx.Start(t.TempDir(), c)
	if err != nil {
		t.Fatalf("starting nginx: %v", err)
	}
	t.Cleanup(func() {
		s.Stop()
		if t.Failed() {
			log := s.Log()
			t.Logf("the end of nginx's log:\n%s", log[max(0, len(log)-4<<10):])
		}
	})
	return s
}
