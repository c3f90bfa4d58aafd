package probe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestAnsweredBehindTheRetention: a retry that was written within the retention
// may have waited for its turn until it was over. What was answered behind it
// accuses nobody, and passes nobody.
func TestAnsweredBehindTheRetention(t *testing.T) {
	for fault, soon := range map[string]probe.Verdict{"": probe.Pass, "result lost in crash": probe.Fail} {
		events := perform(t, scene{only: []string{"crash"}, behaviour: behaviour{fault: fault}})
		verdict := func(late time.Duration) probe.Verdict {
			changed := slices.Clone(events)
			for i, e := range changed {
				if e.Kind == trace.KindAnswer && (strings.HasPrefix(e.Label, "again-") || strings.HasPrefix(e.Label, "retry-")) {
					answer := *e.Answer
					answer.FirstByte, answer.LastByte = answer.FirstByte+int64(late), answer.LastByte+int64(late)
					changed[i].Answer = &answer
				}
			}
			return step(t, judged(t, changed), "crash").Verdict
		}
		if got := verdict(0); got != soon {
			t.Errorf("%q: %s, want %s", fault, got, soon)
		}
		if got := verdict(5 * time.Second); got != probe.Inconclusive {
			t.Errorf("%q, answered behind the retention: %s", fault, got)
		}
	}
}
