package probe

import "github.com/idem-toolkit/idem/internal/contract"

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
