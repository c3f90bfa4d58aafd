// Package probe holds the steps of the check. A step is a plan of requests and
// a pure judgement over what was recorded of them; it never touches the world
// (contract-v1, Steps). Read plan.go for what a plan is made of, result.go for
// what a judgement is, history.go for how events are read, then a step.
package probe

import (
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// Plan is what one step does for one operation, as data: a dry run prints it,
// a live run carries it out.
type Plan struct {
	Operation string
	Step      string
	Requests  []*Request // every request, frozen; sends refer to them
	Threads   []Thread
	Last      []Action      // counts read once more when all threads of a run are done; nothing is sent
	Planted   []trace.Event // of a harvest: what the planting recorded of the operations used, on this run's clock
	Adopted   []*Request    // of a harvest: planted operations that need not be kept any longer
	Makes     int           // operations made at most, controls included
	Idle      Reason        // why nothing is planned; its Text is empty where something is
	Excused   bool          // idle because the contract says that nothing is promised
	Notes     []string      // what its size rests on
}

// Request is one frozen request of a plan. Auth is added as it is sent.
type Request struct {
	ID     string
	Method string
	Target string // path and query
	Header [][2]string
	Body   []byte
	Key    string // the idempotency key as it travels, without quotes
	Change string // how it differs from its trial's first request; empty: it is that
	Fresh  map[string]string

	// Companion names the header that says when the key was first sent: the run
	// fills it in then, the same for all requests of the key. In the plan it has
	// the run's beginning.
	Companion string
}

// Thread is one sequence of actions on one key, or on one set of keys. Threads
// overlap, except that an exclusive one has the target to itself.
type Thread struct {
	Trial     string
	Exclusive bool
	Late      bool // exclusive, and after all exclusive threads that are not
	Actions   []Action
}

// Action is one thing a run does. Each kind is a struct below.
type Action interface{ Name() string }

// Hold says where copies released together are held back.
type Hold string

// Holds. NoHold writes whole requests as soon as they can be.
const (
	NoHold     Hold = ""
	HoldBody   Hold = "body"   // all but the last body byte is sent before the release
	HoldHeader Hold = "header" // all but the end of the header section is
)

// Send sends copies of one frozen request over connections of their own and
// waits for their answers.
type Send struct {
	Label   string
	Request string // trace.Request.ID
	Copies  int    // 1 or more; more are released together
	Hold    Hold
	Other   bool   // as the other principal
	HangUp  HangUp // where not zero, the connection is closed, and no whole answer awaited
	Long    bool   // its answer takes long: it takes no place among what goes on at the same time
	Apart   bool   // each copy on a connection of its own, as wire.Copy.Apart
	Target  string // "" the first base URL, "1" the second, "expiry" the expiry instance
}

// Burst sends different requests released together, one copy each. Where
// Targets are given, each copy has its own; where Trials are, each copy is
// recorded in its own, as one of those that the trial has under the label.
type Burst struct {
	Label    string
	Requests []string
	Trials   []string
	Hold     Hold
	Apart    bool
	Target   string
	Targets  []string
}

// Count reads the effect counter for one subject.
type Count struct {
	Label   string
	Subject Subject
	Poll    bool          // read again until there are more than Above, or appears_within has passed
	Above   string        // the label of an earlier reading; empty: more than 0
	Within  time.Duration // with Poll, where shorter than appears_within: no longer than this; 0: that
	Sibling bool          // with the sibling's counter
	Target  string        // as in Send: the instance whose effects are counted
}

// Longest is how long a polling count goes on, where the contract gives effects
// so long to appear.
func (c Count) Longest(appears time.Duration) time.Duration {
	if c.Within > 0 {
		return min(c.Within, appears)
	}
	return appears
}

// Subject is what a counter counts: the fresh values of one operation, by
// JSON Pointer.
type Subject struct {
	Text  string            // for people and traces: "order_id=o-1"
	Fresh map[string]string // JSON Pointer to the value's text
}

// Settle waits, so that a late second effect is seen.
type Settle struct{ For time.Duration }

// Wait waits until a time that is counted from what a labelled send did, or from
// a restart; where a condition is given, no longer than it holds.
type Wait struct {
	For   string // the label of the send, or of the start
	From  Mark   // which moment of it
	Plus  time.Duration
	While Condition // the zero Condition always holds
}

// Mark is a moment of a send.
type Mark string

// Marks.
const (
	FirstSent    Mark = "first-sent"    // its first copy began to be written
	LastAnswered Mark = "last-answered" // its last answer ended
	Ready        Mark = "ready"         // the service was last ready again, in whichever trial
)

// Repeat does its body again while the condition holds, at most Max times and
// within a time from its beginning; Least times also beyond that, where what is
// sent gets no answer.
type Repeat struct {
	Body   []Action
	While  Condition
	Every  time.Duration
	Within time.Duration
	Max    int
	Least  int
}

// Again says that a repeat goes on beyond its time, after so many times.
func (a Repeat) Again(h *History, trial string, done int) bool {
	return done < a.Least && !h.Trial(trial).lastOf(a.While.Labels).Whole()
}

// If does its body where the condition holds.
type If struct {
	When Condition
	Body []Action
}

// Fan runs branches at the same time and waits for all.
type Fan struct{ Branches [][]Action }

// Try does its body as a trial of its own, within the thread of another.
type Try struct {
	Trial string
	Body  []Action
}

// Volley sends its requests one after another without waiting for answers,
// spaced so that together they span the time one answer takes, then kills the
// service when the last has been written. Without requests it is the kill alone.
type Volley struct {
	Label    string
	Requests []string
	Reach    float64 // how many answer times the volley spans
	Offset   float64 // what part of the space between two requests passes before the kill
	Target   string
}

// Start starts the service again and waits until it is ready.
type Start struct{ Within time.Duration }

// Advance moves the target's clock on with the contract's hook.
type Advance struct{ By time.Duration }

// Store calls the contract's hook that takes the record store away, or brings
// it back.
type Store struct{ Up bool }

// Name gives the action's word in a printed plan.
func (Send) Name() string    { return "send" }
func (Burst) Name() string   { return "burst" }
func (Count) Name() string   { return "count" }
func (Settle) Name() string  { return "settle" }
func (Wait) Name() string    { return "wait" }
func (Repeat) Name() string  { return "repeat" }
func (If) Name() string      { return "if" }
func (Fan) Name() string     { return "fan" }
func (Try) Name() string     { return "try" }
func (Volley) Name() string  { return "kill" }
func (Start) Name() string   { return "start" }
func (Advance) Name() string { return "advance" }
func (Store) Name() string   { return "store" }

// Condition is a fact about what has been recorded of the trial so far. It is
// never a verdict: it only says whether more must be sent.
type Condition struct {
	Fact            Fact
	Labels          []string
	Among           []string      // of Troubled and Awaited: it holds where it does for one of these; empty: the trial that asks
	Within          time.Duration // of InTime and Sparse
	ConflictSettles bool          // the conflict's answer is final, also if in flight looks the same
	Unlike          string        // the status of that label's last answer is final, whatever it tells
	Recovering      bool          // after a crash no 5xx is final, and no duplicate's answer that in flight looks like

	All bool // of Troubled: any answer counts, not only one of the last attempt

	// Of Unreached, Kept and Uncrossed, which tell replicas apart.
	Instance string // the response header that names the instance
	Than     string // the label whose instance does not count
	Least    int    // how many answers must come at least
	Family   string // what the names of the trials looked at begin with
}

// Fact names a condition.
type Fact string

// Facts.
const (
	// Unsettled: the last answer under the labels is none, or one that tells
	// the caller to come back: in flight, 429, 502, 503, 504.
	Unsettled Fact = "unsettled"
	// Troubled: some answer under the labels is a 429, a 5xx or no answer at
	// all, and the contract declares no such answer.
	Troubled Fact = "troubled"
	// Accepted: the last answer under the labels may be a first one: there is an
	// effect to be counted.
	Accepted Fact = "accepted"
	// Settled: the last answer under the labels is whole and final.
	Settled Fact = "settled"
	// Begun: something was recorded of the trial.
	Begun Fact = "begun"
	// Risen: the reading under the second label is above the one under the first.
	Risen Fact = "risen"
	// InTime: another kill, as long as those so far and with its retries, would
	// be over within a time from the first one's beginning.
	InTime Fact = "in-time"
	// Sparse: no kill so far fell between an effect and its answer, or few kills
	// were made and there is time for another.
	Sparse Fact = "sparse"
)
