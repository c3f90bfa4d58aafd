package probe_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// TestCopiesThatTookNoPart: a round of fewer copies than were released still
// counts, and how many it did without is said.
func TestCopiesThatTookNoPart(t *testing.T) {
	goodbye := func(c *conn, on leg) bool {
		return on.stream > 20 && strings.HasPrefix(c.request.ID, "concurrent/30 copies, body hold")
	}
	for want, s := range map[bool]scene{true: {http2: true, refuses: goodbye}, false: {http2: true}} {
		_, s := raced(t, s)
		said := slices.ContainsFunc(s.Notes, func(n string) bool {
			return strings.HasPrefix(n, "in 1 round that counts ") && strings.HasSuffix(n, "took no part: the server told that it did not process a copy")
		})
		if s.Verdict != probe.Pass || said != want {
			t.Errorf("%s %v, notes %q", s.Verdict, s.Reasons, s.Notes)
		}
	}
}
