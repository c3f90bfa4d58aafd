package probe_test

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// TestHeadsBeforeTheKill: a server that sends an answer's head before it is
// done is killed in its answer, however long ago the last byte came.
func TestHeadsBeforeTheKill(t *testing.T) {
	for _, c := range []struct {
		fault string
		want  probe.Verdict
	}{{"", probe.Pass}, {"effect before record", probe.Fail}} {
		r, _ := play(t, scene{behaviour: behaviour{fault: c.fault, headFirst: true}, only: []string{"crash"}})
		s := step(t, r, "crash")
		if notes := strings.Join(s.Notes, "\n"); strings.Contains(notes, "on the wire") {
			t.Errorf("%q: %s", c.fault, notes)
		}
		if s.Verdict != c.want {
			t.Errorf("%q: %s\n%s", c.fault, s.Verdict, outcome(r))
		}
		for _, kill := range s.Cases {
			if strings.Contains(kill.Text, " 0 between effect and answer") || kill.Verdict != c.want {
				t.Errorf("%q: %s is %s: %s", c.fault, kill.Name, kill.Verdict, kill.Text)
			}
		}
	}
}
