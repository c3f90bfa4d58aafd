package contract

import "time"

// Matcher says which answers count. All parts that are set must hold.
type Matcher struct {
	Status []int
	Header [][2]string       // name, exact value
	JSON   []JSONExpectation // pointer, value
	Pos    Pos
}

// JSONExpectation is a value that must stand in the answer's body.
type JSONExpectation struct {
	Pointer string
	Value   []byte // JSON
}

// Marker is the header that says "this is a replay"; an empty Value is any.
type Marker struct {
	Header, Value string
	Pos           Pos
}

// Promise is what the API promises of one operation.
type Promise struct {
	Pos            Pos
	Accepted       *Matcher // which answers say that an operation was done; nil: every 2xx and 3xx without another meaning
	Duplicate      Promised[Duplicate]
	Compare        string // json (default) or bytes
	Marker         *Marker
	SameHeaders    []string
	Ignore         []string // JSON Pointers of the answer that may differ
	Conflict       Promised[Conflict]
	InFlight       Promised[InFlight]
	OwnerMax       Promised[time.Duration]
	Reorder        Promised[string] // semantic, bytes, any
	MissingKey     Promised[Outcome]
	Stored         []StoredRule
	Retention      Promised[Retention]
	AfterRetention Promised[Outcome] // Mode any, execute or answer; known by default as any
	RetryWindow    Promised[time.Duration]
	Lease          Promised[time.Duration]
	Scope          []string         // nil: not stated; empty: one key space for everybody and everything
	ScopePos       Pos              // the block's where it is not stated
	Binding        Promised[string] // independent, conflict, replay
}

// Outcome is what a promise names: a mode, or an answer to match.
type Outcome struct {
	Mode  string // "replay", "execute", "any", "release", ... ; "answer" where Match is set
	Match *Matcher
}

// Duplicate is what a second request with the same key and body gets.
type Duplicate struct {
	Mode  string // replay, current, answer
	Match *Matcher
	Link  string // JSON Pointer of the link to the resource, for answer
}

// Conflict is what the same key with another body gets.
type Conflict struct {
	Mode   string // answer, replay, execute
	Match  *Matcher
	Covers []string // JSON Pointers that the fingerprint covers; default all
	Ignore []string
	Types  string // advisory (default), strict
}

// InFlight is what a duplicate gets while the first is under way.
type InFlight struct {
	Match *Matcher // nil: no such answer is declared
	Wait  bool     // it may wait and then get the first result
}

// StoredRule says what becomes of an outcome class; exact statuses beat classes.
type StoredRule struct {
	Status  string // "2xx", "409"
	Outcome Outcome
	Pos     Pos
}

// Retention says how long a key is remembered.
type Retention struct {
	AtLeast time.Duration
	AtMost  time.Duration // 0: not given, forgetting is not judged
	From    string        // first_use (default), completion, last_use
}
