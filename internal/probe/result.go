package probe

// Verdict is three-valued, with two ways of not judging (contract-v1, Verdicts).
type Verdict string

// Verdicts. Fail beats inconclusive beats pass.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
	Skipped      Verdict = "skipped"
	Waived       Verdict = "waived"
	NotRun       Verdict = "not-run"
)

// Result is what one step of one operation came to.
type Result struct {
	Step     string
	Verdict  Verdict
	Reasons  []Reason // why inconclusive, skipped or waived
	Notes    []string // what a person should know beside a verdict: "by answers only"
	Evidence Evidence
	Cases    []Case
	Findings []Finding

	// Remembered is how long after its first request a key was still remembered
	// in the last quarter of its retention, in nanoseconds; 0: no harvest saw it.
	Remembered int64
}

// Reason says why a verdict is not a pass or a fail, and what would settle it.
type Reason struct {
	Text   string
	Line   int    // of the contract; 0 where none is at fault
	Settle string // what would settle it
}

// Evidence is what a step's verdict rests on.
type Evidence struct {
	Effects  *Effects
	Controls []Control
	Measures []Measure // rounds, kills, times: name and value, in order

	NotCovered []Gap // conflict: what the server's fingerprint leaves out

	Rounds   []Rounds  // of races, by how many copies were released together
	Releases []Release // of races, by kind
	Powers   []Power   // of races, by hold
	Pictures []Picture // of telling releases
}

// Rounds are releases of so many copies together: how many were made, how many
// count since their copies overlapped, and how many of these broke a promise.
type Rounds struct{ Copies, Made, Overlapped, Broken int }

// Effects are the counts of a step's deciding trial, in units of the control.
type Effects struct {
	Before, After, Settled int64
	Unit                   int64
	CountedBy              string
}

// Control is one control and whether it held.
type Control struct {
	Name string // counter, mutation, environment
	Held bool
	Text string // "one operation 1, two keys 2, new value 0"
}

// Measure is one measured fact of the evidence.
type Measure struct {
	Name, Value string
	Text        string // the same as a sentence for people; empty where it is a number for experts
}

// Case is one trial or variant of a step.
type Case struct {
	Name    string // "/amount changed", "2 copies, body hold, round 3"
	Verdict Verdict
	Text    string
}

// Finding is one broken promise.
type Finding struct {
	ID          string // stable: slug, operation, case
	Slug        string // permanent: "duplicate/effect-ran-twice"
	Case        string
	Also        []string // further cases that show the same
	Requirement string   // quoted from the contract
	Line        int      // of the contract
	Expected    string
	Actual      string
	Follows     string     // the slug of the finding that this one comes from
	Exchanges   []Exchange // what was sent and came back
	Counts      []Counted
	Repro       string
}
