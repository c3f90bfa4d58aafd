package probe_test

import (
	"strings"
	"testing"
)

// TestChangesThatProveNothingAreNamed: which they are, and why, beside a pass.
func TestChangesThatProveNothingAreNamed(t *testing.T) {
	tried := func(b behaviour) string {
		r, _ := play(t, scene{contract: changed(), behaviour: b})
		for _, m := range stepOf(r, "conflict").Evidence.Measures {
			if m.Name == "changes" {
				return m.Text
			}
		}
		t.Fatalf("nothing is told of the changes\n%s", outcome(r))
		return ""
	}
	if got := tried(behaviour{plain: true}); !strings.Contains(got, " of which proved nothing (/") ||
		!strings.Contains(got, "validated first: under its own key the changed body gets status 422") || !strings.HasSuffix(got, ")") {
		t.Errorf("some are refused under any key: %s", got)
	}
	if got := tried(behaviour{}); strings.Contains(got, "nothing") {
		t.Errorf("all proved something: %s", got)
	}
}
