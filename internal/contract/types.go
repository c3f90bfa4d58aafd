// Package contract reads the contract file: what an API promises of its
// idempotency, as data (contract-v1, The file). It opens nothing: bytes come
// in, a typed promise comes out, positions kept.
package contract

import "time"

// Pos is a place in the contract file, from 1; the zero Pos is nowhere.
type Pos struct{ Line, Column int }

// Promised is a promise that the file makes or leaves open. Where it is
// unknown, Pos is the block in which it would stand, and the step that needs
// it is inconclusive: nothing is guessed.
type Promised[T any] struct {
	Known bool
	Value T
	Pos   Pos
}

// Contract is one contract file. Texts in Target, Effects, Crash, Expiry and
// StoreDown may still hold ${NAME}; Resolve fills them in. Durations and numbers that
// the file takes from ${NAME} have their default, or are 0, until then.
type Contract struct {
	File       string // as given
	Source     []byte // the bytes read
	SHA256     string // of Source, hexadecimal
	Name       string
	Profile    string
	ProfileAt  Pos // of the line that names it
	Target     Target
	Limits     Limits
	Operations []*Operation
	Waive      []Waiver

	files    map[string][]byte // what body_file named, by path; nil where nothing was read
	settings []string          // names that durations and numbers read, sorted
	urls     []placed          // base URLs with their places

	profileText string // of the profile that was used, as JSON; empty without one
}

// placed is a text with its place.
type placed struct {
	text string
	pos  Pos
}

// Target is where the API is, and as whom to call it.
type Target struct {
	BaseURLs   []string // more than one: replicas of one service
	AllowHosts []string
	Timeout    time.Duration // of one request, default 10 s
	Auth       *Auth
	OtherAuth  *Auth
	Instance   string // response header that names the replica
	HTTP       string // AutoHTTP (default), HTTP1 or HTTP2
	Pos        Pos    // of the block, as everywhere below
}

// Auth is one principal. One of Env, File, Command, Cert is set. Header and
// Prefix say how the secret travels; a Command without a Header prints whole
// header lines, for signatures that take more than one.
type Auth struct {
	Header  string // empty only with Command or Cert
	Env     string
	File    string
	Command []string
	Per     string // with Command, when it runs: "run" (default) or "attempt"
	Prefix  string
	Cert    string // mtls: PEM files
	CertKey string
	Pos     Pos
}

// Limits bound what a live run may do.
type Limits struct {
	MaxOperations int     // 0: no limit given
	Rate          float64 // operations a second; 0: no limit given
	Cleanup       []string
	Pos           Pos
}

// Waiver takes a step out of the verdict until a date; it never hides a fail.
type Waiver struct {
	Step      string
	Operation string // empty: all
	Reason    string
	Until     string // YYYY-MM-DD
	Pos       Pos
}

// Operation is one kind of request and what is promised of it.
type Operation struct {
	Name        string
	Pos         Pos
	Request     Request
	Fingerprint Fingerprint
	Sibling     *Sibling
	Key         Key
	Promise     Promise
	Effects     *Effects // nil: not declared, the same as responses
	Crash       *Crash   // nil: not declared
	Expiry      *Expiry  // nil: not declared
	StoreDown   *StoreDown
}

// Request is a request before fresh values are filled in.
type Request struct {
	Method   string
	Path     string // may carry a query
	Headers  [][2]string
	Body     Body
	Fresh    []Fresh
	Failing  map[string]Variant // "4xx", "5xx"
	Slow     *Variant
	Variants map[string]Variant
	Pos      Pos
}

// BodyKind says what a body is.
type BodyKind string

// Kinds of body.
const (
	NoBody   BodyKind = ""
	JSONBody BodyKind = "json"
	FormBody BodyKind = "form"
	RawBody  BodyKind = "raw"
)

// Body is a request body. JSON keeps member order and number literals as
// written in the file.
type Body struct {
	Kind BodyKind
	JSON []byte
	Form [][2]string
	Raw  []byte // with File: its very bytes, whatever the kind
	File string // where body_file named one; its kind follows from the media type
	Pos  Pos
}

// Variant replaces parts of the request.
type Variant struct {
	Body    *Body
	Headers [][2]string
	Pos     Pos
}

// Fresh is a value that is new for every operation and frozen for its retries.
type Fresh struct {
	At  string // JSON Pointer into the body; for a form "/name"
	As  string // text, uuid4, integer
	Max int64  // for integer; 0: none given
	Pos Pos
}

// Fingerprint says what the server's request fingerprint covers.
type Fingerprint struct {
	Headers []string
	Ignore  []string
}

// Sibling is another endpoint that shares the key space, for binding.
type Sibling struct {
	Method, Path string
	Effects      *Effects
	Pos          Pos
}

// Key says where the idempotency key travels and how it is made.
type Key struct {
	Header    string // one of Header, Body, Query
	Body      string // JSON Pointer
	Query     string
	Companion *Companion
	Syntax    string // bare (default) or sf-string (RFC 9651, 3.3.3)
	Recipe    string // file; empty where Generate is used
	Generate  string // uuid4
	Rules     *KeyRules
	Pos       Pos
}

// Companion is a header that must travel with the key.
type Companion struct{ Header, As string }

// KeyRules are what the API declares of its keys; only what is set is judged.
type KeyRules struct {
	MinLength, MaxLength int    // in characters; 0: not declared
	Pattern              string // RE2
	Case                 string // sensitive, insensitive
	Repeated, TooLong    *Matcher
	Pos                  Pos
}

// EffectKind says how effects are counted.
type EffectKind string

// Kinds of counter.
const (
	ByHTTP      EffectKind = "http"
	ByCommand   EffectKind = "command"
	BySQL       EffectKind = "sql"
	BySink      EffectKind = "sink"
	ByResponses EffectKind = "responses"
)

// Effects is how effects are counted from outside. Texts may hold
// {fresh:/pointer}, the fresh value at that pointer.
type Effects struct {
	Kind EffectKind
	HTTP struct {
		Method, Path, Count string // Count is an RFC 9535 query
		PageLimit           int
	}
	Command []string
	SQL     struct {
		DSNEnv, Query string
		Args          []string // JSON Pointers of fresh values
	}
	Sink struct {
		Listen   string // host:port
		Match    string // JSON Pointer of the fresh value in what arrives
		Distinct string // header whose values are counted once each
	}
	AppearsWithin time.Duration // default 5 s for http, command, sql, sink
	Settle        time.Duration // default 500 ms
	Pos           Pos
}

// Crash says how the service is killed and started again.
type Crash struct {
	Process  *Process
	Hooks    *Hooks
	Recovery time.Duration // default: the lease; 0 where neither is stated
	Pos      Pos
}

// Process is a service that idem starts itself, in Dir.
type Process struct {
	Command []string
	Ready   string // path answered with 2xx once it serves
	Env     [][2]string
	Dir     string // of the contract file
}

// Hooks are the user's own kill and start.
type Hooks struct {
	Kill, Start []string
	Ready       string // as in Process; empty: ready once start has ended
}

// Expiry says how a key's retention is passed on this target.
type Expiry struct {
	Wait     time.Duration // the target's effective retention, for every step; 0 with Advance
	WaitText string        // Wait as it stands in the file: "2s", "${WAIT}"; empty with Advance
	Advance  []string      // run with IDEM_SECONDS
	BaseURLs []string      // an instance of its own, with a short retention
	Pos      Pos
}

// StoreDown says how the record store is taken away from the service, and how
// it is brought back, without a restart of the service.
type StoreDown struct {
	Down, Up []string
	Pos      Pos
}
