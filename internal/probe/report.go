package probe

import (
	"fmt"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Report is what a whole run came to: a pure function of its trace.
type Report struct {
	Contract        *contract.Contract // as the trace holds it, ${NAME} not filled in
	Tool, Run, Mode string             // mode: "live"
	Seed            uint64
	File, SHA256    string // of the contract
	Began           string // RFC 3339
	Planted         string // of a harvest: the run that planted; empty otherwise
	Interrupted     bool
	RequireEffects  bool
	Target          string      // the base URL that took the place of target.base_urls; empty: none did
	HTTP            string      // the version of HTTP that took the place of target.http; empty: none did
	Races           trace.Races // how races were run, where flags said it
	Exit            int
	Verdict         Verdict
	Counts          map[Verdict]int
	Operations      []OperationReport
	Notes           []string
}

// OperationReport is one operation's part of a report, steps in their fixed order.
type OperationReport struct {
	Name    string
	Verdict Verdict
	Steps   []Result
}

// HTTPNote says that a flag took the place of what the contract says of HTTP.
func HTTPNote(version string) string {
	return "--http " + version + " took the place of the contract's target.http"
}

// TargetNote says that a flag took the place of the contract's base URLs.
func TargetNote(base string) string {
	return "--target " + base + " took the place of the contract's target.base_urls"
}

// UnaskedNote says that a choice of steps leaves replicas unasked: "" where none
// is. All steps but replicas ask the first base URL alone.
func UnaskedNote(c *contract.Contract, s Selection) string {
	left := s.leaves(replicasStep.Name)
	if left == "" || len(c.Target.BaseURLs) < 2 {
		return ""
	}
	return fmt.Sprintf("only the first of %d base URLs is asked: the step replicas, which asks the others, is %s", len(c.Target.BaseURLs), left)
}
