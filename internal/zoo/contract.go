package zoo

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Says is the contract of a variant, in parts that a variant may change. The
// values are YAML in flow style, on one line each: s.Promise["conflict"] =
// "{status: [409]}". A key that is deleted is not in the contract, a block
// without keys neither.
type Says struct {
	Target    map[string]string // target: timeout, auth, other_auth, instance, ...
	Request   map[string]string // operations[0].request
	Key       map[string]string // operations[0].key
	Promise   map[string]string // operations[0].promise
	Operation map[string]string // further keys of the operation: fingerprint, sibling
	Effects   map[string]string // operations[0].effects: http, appears_within, settle
	Crash     map[string]string // operations[0].crash; process is written here where the store lasts
	Expiry    map[string]string // operations[0].expiry
	File      map[string]string // further keys of the file: limits, waive

	// Serve are further flags of idem serve, where the service is a process
	// that the contract starts: "--conflict", "409". A variant's Options do the
	// same without being seen in the contract.
	Serve []string
}

// Store is where a variant keeps its records.
type Store string

// Stores. A store in memory is empty after a restart, so its contract has no
// crash block: nothing is promised over a kill that could be kept.
const (
	Memory   Store = "memory"
	File     Store = "file"
	Postgres Store = "postgres"
)

// Stores gives all stores.
func Stores() []Store { return []Store{Memory, File, Postgres} }

// Names of the environment that a contract leaves open.
const (
	EnvProgram = "IDEM_ZOO_PROGRAM" // this program
	EnvAddress = "IDEM_ZOO_ADDRESS" // HOST:PORT of the service
	EnvReplica = "IDEM_ZOO_REPLICA" // HOST:PORT of the same service's second replica
	EnvStore   = "IDEM_ZOO_STORE"   // with File: sqlite:PATH
	EnvDSN     = "IDEM_ZOO_DSN"     // with Postgres: the database's address
	EnvToken   = "IDEM_ZOO_TOKEN"   // any text: who calls
	EnvOther   = "IDEM_ZOO_OTHER_TOKEN"
)

// Times of the standard contract: short enough for a check to wait for them,
// long enough for what must happen within them, also on a busy machine.
const (
	retention = "6s"
	lease     = "1s"
)

// standard is the contract of the reference service with everything enabled
// that it can be held to.
func standard() *Says {
	body := func(further string) string {
		return `{order_id: "o-1", amount: 1999, currency: EUR` + further + "}"
	}
	return &Says{
		Target: map[string]string{
			"base_urls":   fmt.Sprintf(`["http://${%s}", "http://${%s}"]`, EnvAddress, EnvReplica),
			"allow_hosts": "[127.0.0.1]",
			"timeout":     "10s",
			"auth":        fmt.Sprintf(`{header: Authorization, env: %s, prefix: "Bearer "}`, EnvToken),
			"other_auth":  fmt.Sprintf(`{header: Authorization, env: %s, prefix: "Bearer "}`, EnvOther),
			"instance":    "{header: X-Served-By}",
		},
		Request: map[string]string{
			"method":  "POST",
			"path":    "/v1/charges",
			"headers": "{Content-Type: application/json}",
			"body":    body(""),
			"fresh":   "[/order_id]",
			"failing": `{"4xx": {body: ` + body(", payment_method: declined") + `}, "5xx": {headers: {X-Test-Fail: "once"}}}`,
			"slow":    "{body: " + body(", work_ms: 2500") + "}",
			"variants": "{large: {body: " + body(", answer: large") + "}, redirect: {body: " + body(", answer: redirect") +
				"}, empty: {body: " + body(", answer: minimal") + "}}",
		},
		Key: map[string]string{
			"header":   "Idempotency-Key",
			"generate": "uuid4",
			"rules":    "{min_length: 1, max_length: 255, case: sensitive, repeated: {status: [400]}, too_long: {status: [400]}}",
		},
		Promise: map[string]string{
			"duplicate":       "replay",
			"compare":         "bytes",
			"marker":          `{header: Idempotent-Replayed, value: "true"}`,
			"same_headers":    "[Content-Type, Location]",
			"conflict":        "{status: [422]}",
			"in_flight":       "{wait: true}",
			"owner_max":       "10s",
			"reorder":         "semantic",
			"missing_key":     "{status: [400]}",
			"stored":          `{"2xx": replay, "3xx": replay, "402": replay, "4xx": any, "5xx": release}`,
			"retention":       "{at_least: " + retention + ", at_most: 7s, from: first_use}",
			"after_retention": "execute",
			"retry_window":    "4s",
			"lease":           lease,
			"scope":           "[caller, method, path, query]",
			"binding":         "independent",
		},
		Operation: map[string]string{
			"sibling":    `{method: POST, path: /v1/refunds, effects: {http: ` + counter("refund") + ", appears_within: 2s, settle: 300ms}}",
			"store_down": "{down: " + hook("/admin/store?up=false") + ", up: " + hook("/admin/store?up=true") + "}",
		},
		Effects: map[string]string{
			"http":           counter("charge"),
			"appears_within": "2s",
			"settle":         "300ms",
		},
		Crash:  map[string]string{"recovery": "3s"},
		Expiry: map[string]string{"wait": retention},
		File:   map[string]string{},
	}
}

// hook calls one of the service's test hooks by this program, which every
// system that runs the check has.
func hook(path string) string {
	return flow([]string{"${" + EnvProgram + "}", "serve", "--post", "http://${" + EnvAddress + "}" + path})
}

// counter counts one kind of money's movements: charges and refunds share an
// order id.
func counter(kind string) string {
	return fmt.Sprintf(`{method: GET, path: "/v1/effects?order_id={fresh:/order_id}", count: "$.data[?@.kind=='%s']"}`, kind)
}

// Contract writes the contract that a variant is held to on a store; the same
// variant and store give the same bytes.
func (v Variant) Contract(on Store) []byte {
	s := v.says()
	delete(s.Crash, "process")
	if on == Memory {
		s.Crash = nil
	} else if s.Crash != nil {
		s.Crash["process"] = "{command: " + flow(v.Command(on)) + ", ready: " + Ready + "}"
	}
	return s.write(v, on)
}

func (v Variant) says() *Says {
	s := standard()
	if v.Says != nil {
		v.Says(s)
	}
	return s
}

// Ready is the path that answers 2xx once a variant serves.
const Ready = "/healthz"

// Command is how the variant is started: variables stand as ${NAME}.
func (v Variant) Command(on Store) []string {
	variable := func(name string) string { return "${" + name + "}" }
	argv := []string{variable(EnvProgram), "serve", "--listen", variable(EnvAddress), "--replica", variable(EnvReplica)}
	switch on {
	case File:
		argv = append(argv, "--store", variable(EnvStore))
	case Postgres:
		argv = append(argv, "--store-env", EnvDSN)
	}
	argv = append(argv, "--retention", retention, "--lease", lease, "--work", "10ms", "--answer-delay", "40ms", "--admin")
	if v.special() {
		argv = append(argv, v.flag(), v.Name)
	}
	return append(argv, v.says().Serve...)
}

// special says that the variant is another than the reference service.
func (v Variant) special() bool { return v.Name != "" && v.Name != Reference().Name }

func (v Variant) flag() string {
	if v.IsFault() {
		return "--fault"
	}
	return "--style"
}

// flow writes a list of texts in flow style.
func flow(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// write lays the parts out.
func (s *Says) write(v Variant, on Store) []byte {
	var b bytes.Buffer
	name := "reference service"
	if v.special() {
		name += ", " + v.Name
		b.WriteString(wrapped(v.What))
	} else {
		b.WriteString("# the reference service as it is\n")
	}
	if on == Memory {
		b.WriteString("# its store is in memory and empty after a restart: no crash is declared\n")
	}
	text := s.body(name)
	b.WriteString(v.manual(on, text))
	b.WriteString(text)
	return b.Bytes()
}

// body is the contract itself.
func (s *Says) body(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "idem: contract/v1\nname: %q\n", name)
	section(&b, "", "target", s.Target, "base_urls", "allow_hosts", "timeout", "auth", "other_auth", "instance", "http")
	lines(&b, "", s.File)
	b.WriteString("operations:\n  - name: create-charge\n")
	const in = "    "
	section(&b, in, "request", s.Request, "method", "path", "headers", "body", "form", "fresh", "failing", "slow", "variants")
	section(&b, in, "key", s.Key, "header", "body", "query", "companion", "syntax", "recipe", "generate", "rules")
	section(&b, in, "promise", s.Promise, "duplicate", "compare", "marker", "same_headers", "ignore", "conflict", "in_flight",
		"owner_max", "reorder", "missing_key", "stored", "retention", "after_retention", "retry_window", "lease", "scope", "binding")
	lines(&b, in, s.Operation, "fingerprint", "sibling", "store_down")
	section(&b, in, "effects", s.Effects, "http", "command", "sql", "sink", "appears_within", "settle")
	section(&b, in, "crash", s.Crash, "process", "hooks", "recovery")
	section(&b, in, "expiry", s.Expiry, "wait", "advance", "base_urls")
	return b.String()
}

// section writes a block with its keys, those of the order first.
func section(b *strings.Builder, indent, name string, keys map[string]string, order ...string) {
	if len(keys) == 0 {
		return
	}
	fmt.Fprintf(b, "%s%s:\n", indent, name)
	lines(b, indent+"  ", keys, order...)
}

func lines(b *strings.Builder, indent string, keys map[string]string, order ...string) {
	names := order
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(order, name) {
			names = append(names[:len(names):len(names)], name)
		}
	}
	for _, name := range names {
		if value, ok := keys[name]; ok {
			fmt.Fprintf(b, "%s%s: %s\n", indent, name, value)
		}
	}
}

// wrapped is a text as comment lines.
func wrapped(text string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			b.WriteString("# ")
		case width+len(word) > 76:
			b.WriteString("\n# ")
			width = 0
		default:
			b.WriteString(" ")
		}
		b.WriteString(word)
		width += len(word) + 1
	}
	b.WriteString("\n")
	return b.String()
}
