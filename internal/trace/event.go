// Package trace is what a live run records: events, one JSON object a line,
// and how they are masked, written and read. Verdicts are pure functions of
// these events (contract-v1, Record first, judge later).
package trace

// Schema names the form of a trace; its first event carries it.
const Schema = "trace/v1"

// Kind says what happened.
type Kind string

// The kinds of event. Run is always first; End is last unless the run was cut off.
const (
	KindRun     Kind = "run"     // the run's header: contract, tool, seed
	KindRequest Kind = "request" // a request of the plan, frozen; sends refer to it by id
	KindSent    Kind = "sent"    // one copy was written, whole or in part
	KindAnswer  Kind = "answer"  // what became of one copy
	KindCount   Kind = "count"   // effects counted from outside
	KindWait    Kind = "wait"    // a wait ended
	KindKill    Kind = "kill"    // the process was sent SIGKILL, or the kill hook ran
	KindExit    Kind = "exit"    // the process was seen to have ended
	KindStart   Kind = "start"   // the process was started
	KindReady   Kind = "ready"   // the process answers again, or did not in time
	KindAdvance Kind = "advance" // the advance hook ran
	KindStore   Kind = "store"   // the hook that takes the record store away, or brings it back, ran
	KindCleanup Kind = "cleanup" // limits.cleanup was called for one operation
	KindUndone  Kind = "undone"  // an action of the plan was not carried out, with the reason
	KindStep    Kind = "step"    // a step of an operation is complete: nothing but final counts of it follows
	KindHarvest Kind = "harvest" // in a plant file: a harvest has used some of it
	KindEnd     Kind = "end"     // the run is complete or was interrupted
)

// Event is one thing that happened.
type Event struct {
	Seq       int64  `json:"seq"`
	At        int64  `json:"at"` // nanoseconds since the run began, monotonic
	Kind      Kind   `json:"kind"`
	Operation string `json:"operation,omitempty"`
	Step      string `json:"step,omitempty"`
	Trial     string `json:"trial,omitempty"`   // one experiment of a step: its own key and fresh values
	Label     string `json:"label,omitempty"`   // the action's name in the plan
	Attempt   int    `json:"attempt,omitempty"` // which pass of a repeat, from 0
	Copy      int    `json:"copy,omitempty"`    // which of the copies released together, from 0

	Run     *Run     `json:"run,omitempty"`
	Request *Request `json:"request,omitempty"`
	Sent    *Sent    `json:"sent,omitempty"`
	Answer  *Answer  `json:"answer,omitempty"`
	Count   *Count   `json:"count,omitempty"`
	Process *Process `json:"process,omitempty"`
	Idle    *Idle    `json:"idle,omitempty"`
	Harvest *Harvest `json:"harvest,omitempty"`
	Text    string   `json:"text,omitempty"` // the reason of an undone action, what was cleaned up, the state at the end
}

// Run is the header of a trace: all that judging needs beside the events.
type Run struct {
	Schema         string            `json:"schema"`
	Tool           string            `json:"tool"` // "idem 0.1.0"
	ID             string            `json:"id"`   // random, 16 hexadecimal digits
	Seed           uint64            `json:"seed"`
	Began          string            `json:"began"`              // RFC 3339, UTC; for waivers and people, never for durations
	File           string            `json:"file"`               // the contract's file name as given
	SHA256         string            `json:"sha256"`             // of the contract's bytes
	Contract       string            `json:"contract"`           // the contract\'s bytes, whole, but for what is masked
	Masked         bool              `json:"masked,omitempty"`   // something of the contract is masked: SHA256 is of the bytes before
	Profile        string            `json:"profile,omitempty"`  // the profile that filled promises in, whole: another version's table may differ
	Settings       map[string]string `json:"settings,omitempty"` // values of the ${NAME} that numbers and durations read
	Only           []string          `json:"only,omitempty"`
	Skip           []string          `json:"skip,omitempty"`
	Operations     []string          `json:"operations,omitempty"` // --operation; empty is all
	RequireEffects bool              `json:"require_effects,omitempty"`
	HTTP           string            `json:"http,omitempty"`   // --http, where it overrode target.http
	Target         string            `json:"target,omitempty"` // --target, where it overrode target.base_urls
	Races          *Races            `json:"races,omitempty"`  // where flags chose how races are run
	Steps          []string          `json:"steps"`            // every step that was planned, in the report's order
	Phase          Phase             `json:"phase,omitempty"`
	Epoch          string            `json:"epoch,omitempty"`   // with a phase: the wall clock when the run's was 0, RFC 3339 with nanoseconds, UTC
	Planted        *Planted          `json:"planted,omitempty"` // of a harvest
}

// Races is how races are run, where flags say it: how often, and how many keys
// at once. Zero is the usual.
type Races struct {
	Rounds int     `json:"rounds,omitempty"` // pairs under each hold
	Power  float64 `json:"power,omitempty"`  // rounds were derived: to see a window this often, of 1
	Window int64   `json:"window,omitempty"` // with Power: nanoseconds
	Keys   int     `json:"keys,omitempty"`   // keys of two copies each that are released together
}

// Request is a request as planned: its bytes never change afterwards.
type Request struct {
	ID     string      `json:"id"`
	Method string      `json:"method"`
	Target string      `json:"target"` // path and query as sent
	Header [][2]string `json:"header"` // in order, secrets masked
	Body   Body        `json:"body"`
	Key    string      `json:"key,omitempty"`    // the idempotency key as it travels
	Change string      `json:"change,omitempty"` // how it differs from the trial's first request: "/amount changed"
}

// Body is a request or answer body: digest and head are of the masked bytes,
// so that no digest of a secret is kept.
type Body struct {
	Size       int64  `json:"size"`             // bytes on the wire
	SHA256     string `json:"sha256,omitempty"` // hexadecimal; empty where size is 0
	Head       string `json:"head,omitempty"`   // the first HeadCap bytes, as text
	Base64     bool   `json:"base64,omitempty"` // head is base64: the bytes are not UTF-8
	Truncated  bool   `json:"truncated,omitempty"`
	Value      string `json:"value,omitempty"`       // where truncated: SHA-256 of the whole as canonical JSON without what the promise ignores; empty where it is none
	StillCoded bool   `json:"still_coded,omitempty"` // its content coding could not be taken off
}

// HeadCap is how many bytes of a body a trace keeps.
const HeadCap = 64 << 10

// Sent is one copy on its way. Times are nanoseconds since the run began.
type Sent struct {
	Request    string `json:"request"` // Request.ID
	Target     string `json:"target"`  // which base URL: "0", "1", ... or "expiry"
	Connection int    `json:"connection"`
	Protocol   string `json:"protocol"`           // "HTTP/1.1", "HTTP/2"
	Stream     int    `json:"stream,omitempty"`   // of HTTP/2; copies with one Connection shared it
	Hold       string `json:"hold,omitempty"`     // "body", "header" or "whole" where the copy was held and released
	Trip       int64  `json:"trip,omitempty"`     // how long the TCP handshake took: one round trip
	Released   int64  `json:"released,omitempty"` // when the barrier of its release was opened
	WriteBegan int64  `json:"write_began"`        // of the first byte; of the released part where held
	WriteEnded int64  `json:"write_ended"`        // of the last byte
	Whole      bool   `json:"whole"`              // every byte was written
	Other      bool   `json:"other,omitempty"`    // sent as the other principal (target.other_auth)
}

// Outcome says what became of a copy.
type Outcome string

// Outcomes. Only Answered has a whole answer.
const (
	Answered Outcome = "answered"
	Cut      Outcome = "cut"       // the answer began and the connection ended in it
	Reset    Outcome = "reset"     // the connection ended without an answer byte
	TimedOut Outcome = "timed-out" // no whole answer within the contract's timeout
	Refused  Outcome = "refused"   // no connection: nothing was sent
	HungUp   Outcome = "hung-up"   // this side ended the connection on purpose; FirstByte says whether an answer had begun
)

// Answer is what came back for one copy.
type Answer struct {
	Request   string      `json:"request"` // Request.ID
	Outcome   Outcome     `json:"outcome"`
	Status    int         `json:"status,omitempty"`
	Header    [][2]string `json:"header,omitempty"` // in order of arrival, secrets masked
	Body      Body        `json:"body"`
	FirstByte int64       `json:"first_byte,omitempty"` // nanoseconds since the run began; 0 where none came
	LastByte  int64       `json:"last_byte,omitempty"`
	Ended     int64       `json:"ended,omitempty"` // when the connection of an answer that did not come whole was seen to end
	Error     string      `json:"error,omitempty"` // masked

	// Unprocessed says that the server told that it did nothing with the request:
	// a stream refused, or left out by GOAWAY (RFC 9113, 8.7).
	Unprocessed bool `json:"unprocessed,omitempty"`
}

// Count is one reading of an effect counter.
type Count struct {
	Subject string `json:"subject"` // what was counted, with its fresh value: "order_id=o-..."
	By      string `json:"by"`      // http, command, sql, sink, responses
	N       int64  `json:"n"`
	Error   string `json:"error,omitempty"` // the counter failed: N means nothing
	Seen    string `json:"seen,omitempty"`  // what it asked and the beginning of what came, where it failed or saw no effect that was waited for; masked
	Began   int64  `json:"began"`           // nanoseconds since the run began
}

// Idle says why a step of an operation was not carried out; it stands on the
// step's event.
type Idle struct {
	Text    string `json:"text"`
	Line    int    `json:"line,omitempty"`    // of the contract
	Settle  string `json:"settle,omitempty"`  // what would let it run
	Excused bool   `json:"excused,omitempty"` // the contract says that nothing is promised, or the user left it out
}

// Process is a kill, an exit, a start or a hook.
type Process struct {
	PID     int    `json:"pid,omitempty"`
	Hook    bool   `json:"hook,omitempty"` // done by the contract's hook, not by a signal
	Exit    string `json:"exit,omitempty"` // "killed", "exit 3"
	Ready   bool   `json:"ready,omitempty"`
	Seconds int64  `json:"seconds,omitempty"` // how far an advance hook moved the clock
	Store   string `json:"store,omitempty"`   // of a store event: "down" or "up"
	Error   string `json:"error,omitempty"`
}

// Get gives the values of a header field, names compared without case (RFC 9110, 5.1).
func Get(header [][2]string, name string) []string {
	var out []string
	for _, f := range header {
		if equalFold(f[0], name) {
			out = append(out, f[1])
		}
	}
	return out
}

func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		x, y := a[i], b[i]
		if 'A' <= x && x <= 'Z' {
			x += 'a' - 'A'
		}
		if 'A' <= y && y <= 'Z' {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}
