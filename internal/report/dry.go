package report

import (
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Dry is a dry run: what the contract says in six sections, and the plan of
// what a live run would send. Nothing of it was sent (contract-v1, Dry run and
// live run).
type Dry struct {
	Tool       string // "idem 0.1.0"
	Run        string // the dry run's id: zeros
	Seed       uint64
	File       string // the contract file as given
	SHA256     string // of its bytes
	Name       string // the contract's name; may be empty
	Exit       int    // 0, or 3 where a live run is required
	Operations []DryOperation
	Notes      []string // "the public test secret is used"
}

// DryOperation is one operation's sections and plan.
type DryOperation struct {
	Name     string
	Sections Sections
	Steps    []DryStep // in the report's order; the plan of the controls may come first
}

// Sections are the six parts of a dry run's result, each a list of facts.
type Sections struct {
	RequestFingerprint []Fact
	StableID           []Fact
	Duplicate          []Fact
	Replay             []Fact
	Conflict           []Fact
	Retention          []Fact
}

// Fact is one thing that a section says. Names within a section differ.
type Fact struct {
	Name  string   // "at_least"
	Value string   // "24h"; not used where List is set
	List  []string // a value of several; JSON gives an array
	Open  bool     // the contract leaves it open; JSON gives null

	Line   int  // of the contract: where it is stated, or would be; 0: not known
	Stated bool // a line of the contract says it, and no default or profile

	Detail bool // too much for the one page that a person is shown first
}

// DryStep is one step's plan.
type DryStep struct {
	Step  string
	Idle  probe.Reason // why nothing is planned; its Text is empty where something is
	Makes int          // operations made at most, controls included
	Sends int          // requests sent at most, copies and repeats included
	// The same where every answer is final at once: nothing is sent again, no
	// control of the environment is needed, the first kill lands.
	ExpectMakes, ExpectSends int
	Requests                 []DryRequest
	Lines                    []PlanLine
	Notes                    []string
}

// DryRequest is one request of a plan.
type DryRequest struct {
	*trace.Request
	Fingerprint string // of the request; empty where none was made
}

// NewDryStep makes a dry step of a plan. Fingerprints are by request id. A dry
// run reads no secret, so that there is nothing to mask.
func NewDryStep(p probe.Plan, fingerprints map[string]string) DryStep {
	s := DryStep{Step: p.Step, Idle: p.Idle, Makes: p.Makes, Sends: MostSends(p), Lines: PlanLines(p), Notes: p.Notes}
	s.ExpectMakes, s.ExpectSends = Expected(p)
	var nothing *trace.Masker
	for _, q := range p.Requests {
		s.Requests = append(s.Requests, DryRequest{Fingerprint: fingerprints[q.ID], Request: &trace.Request{
			ID: q.ID, Method: q.Method, Target: q.Target, Header: nothing.Header(q.Header),
			Body: nothing.Body(q.Body, int64(len(q.Body))), Key: q.Key, Change: q.Change}})
	}
	return s
}

// section is a section with its name in every format, and its title for people.
type section struct {
	name, title string
	facts       []Fact
}

// named gives the six sections in their order.
func (s Sections) named() []section {
	return []section{
		{"request_fingerprint", "request-fingerprint contract", s.RequestFingerprint},
		{"stable_id", "stable-ID recipe", s.StableID},
		{"duplicate", "duplicate behaviour", s.Duplicate},
		{"replay", "replay response", s.Replay},
		{"conflict", "conflict policy", s.Conflict},
		{"retention", "retention tests", s.Retention},
	}
}

// totals gives how much all steps do together.
func (d Dry) totals() amount {
	var all amount
	for _, op := range d.Operations {
		for _, s := range op.Steps {
			all = all.and(s.amount())
		}
	}
	return all
}

// nothingSent is the last line of a dry run.
const nothingSent = "nothing was sent and no promise was checked: this was a dry run"

// asReport gives a dry run the form of a report: every step not run.
func (d Dry) asReport() probe.Report {
	r := probe.Report{Tool: d.Tool, Run: d.Run, Mode: "dry", Seed: d.Seed, File: d.File, SHA256: d.SHA256,
		Exit: d.Exit, Verdict: probe.NotRun, Counts: map[probe.Verdict]int{}, Notes: d.Notes}
	for _, op := range d.Operations {
		o := probe.OperationReport{Name: op.Name, Verdict: probe.NotRun}
		for _, s := range op.Steps {
			if s.Step == probe.ControlStep {
				continue // planned, never a verdict
			}
			reason := s.Idle
			if reason.Text == "" {
				reason.Text = "dry run: nothing was sent"
			}
			o.Steps = append(o.Steps, probe.Result{Step: s.Step, Verdict: probe.NotRun, Reasons: []probe.Reason{reason}})
			r.Counts[probe.NotRun]++
		}
		r.Operations = append(r.Operations, o)
	}
	return r
}
