package probe_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// charge is the contract that the simulated API keeps; tests change lines of it.
const charge = `idem: contract/v1
name: charges
target: {base_urls: ["http://127.0.0.1:8080"], allow_hosts: [127.0.0.1], timeout: 10s}
operations:
  - name: create-charge
    request:
      method: POST
      path: /v1/charges
      headers: {Content-Type: application/json}
      body: {order_id: "o-1", amount: 1999, currency: EUR}
      fresh: [/order_id]
    key: {header: Idempotency-Key, generate: uuid4}
    promise:
      duplicate: replay
      same_headers: [Content-Type]
      conflict: {status: [422]}
      in_flight: {status: [409]}
      reorder: semantic
      retention: {at_least: 4s, at_most: 6s}
      lease: 1s
    effects: {http: {path: "/v1/charges?order_id={fresh:/order_id}", count: "$.data[*]"}}
    crash: {process: {command: [./api], ready: /healthz}}
    expiry: {wait: 4s}
`

// twoReplicas is the same of a service with two.
var twoReplicas = strings.Replace(charge, `"http://127.0.0.1:8080"`, `"http://127.0.0.1:8080", "http://127.0.0.1:8081"`, 1)

// changed gives the contract with lines replaced: "lease: 2s" replaces the
// line that begins with lease, "-lease" takes it out, and a line that is not
// there yet is added to the promise.
func changed(lines ...string) string { return changedOf(charge, lines...) }

func changedOf(text string, lines ...string) string {
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "-"), ":")
		var out []string
		found := false
		for _, old := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			indent := old[:len(old)-len(strings.TrimLeft(old, " "))]
			switch {
			case !strings.HasPrefix(old[len(indent):], name+":"):
				out = append(out, old)
			case line[0] == '-':
				found = true
			default:
				out = append(out, indent+line)
				found = true
			}
			if strings.TrimSpace(old) == "promise:" && !strings.Contains(text, " "+name+":") && line[0] != '-' && name != "waive" {
				out = append(out, "      "+line)
				found = true
			}
		}
		if name == "waive" {
			out, found = append(out, line), true
		}
		if !found {
			panic("no line " + name + " in the contract")
		}
		text = strings.Join(out, "\n") + "\n"
	}
	return text
}

// scene is one simulated run.
type scene struct {
	contract  string // empty: charge
	behaviour behaviour
	keys      probe.KeyMaker
	only      []string
	strict    bool // --require-effects
	env       probe.Env
	disturb   func(x *conn) trace.Outcome
	files     map[string]string // what body_file names
	market    *ways             // where given, a market is served instead
	settings  map[string]string // what ${NAME} of durations stands for
	http2     bool              // the contract's base URL speaks it, and copies share a connection
	gap       func(copy int, shared bool) time.Duration
	refuses   func(c *conn, on leg) bool
	stall     func(where stalling) time.Duration // nil: nothing is ever late
}

// play plans, carries out and judges a scene.
func play(t testing.TB, sc scene) (*probe.Report, []trace.Event) {
	t.Helper()
	events := perform(t, sc)
	return judged(t, events), events
}

func perform(t testing.TB, sc scene) []trace.Event {
	t.Helper()
	if sc.contract == "" {
		sc.contract = charge
	}
	c, err := contract.Parse("contract.yaml", []byte(sc.contract), func(path string) ([]byte, error) { return []byte(sc.files[path]), nil })
	if err == nil {
		c, err = c.WithSettings(sc.settings)
	}
	if err != nil {
		t.Fatalf("the test's contract: %v\n%s", err, sc.contract)
	}
	if sc.env.RunID == "" {
		sc.env.RunID = "00000000000000a1"
	}
	if sc.env.Keys = sc.keys; sc.keys == nil {
		sc.env.Keys = probe.GeneratedKeys{}
	}
	if sc.market != nil || len(c.Target.BaseURLs) > 1 || sc.http2 {
		sc.env.Contract = c
	}
	selection := probe.Selection{Only: sc.only}
	op := c.Operations[0]
	plans, err := probe.Plans(op, sc.env, selection)
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	w := &world{}
	s := &sim{world: w, t: t, op: op, timeout: c.Target.Timeout, disturb: sc.disturb,
		http2: sc.http2, gap: sc.gap, refuses: sc.refuses, stall: sc.stall}
	if s.service = newCharges(w, op, sc.behaviour); sc.market != nil {
		s.service = newMarket(w, op, *sc.market)
	}
	run := header(c, sc.env)
	run.Only, run.RequireEffects, run.Settings = sc.only, sc.strict, sc.settings
	return s.carryOut(run, plans)
}

// written gives the text of a trace.
func written(t testing.TB, events []trace.Event) []byte {
	t.Helper()
	var out bytes.Buffer
	w := trace.NewWriter(&out)
	for i := range events {
		e := events[i]
		if err := w.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// judged judges events as a reader of their trace would: through its text.
func judged(t testing.TB, events []trace.Event) *probe.Report {
	t.Helper()
	return judgedText(t, written(t, events))
}

func judgedText(t testing.TB, text []byte) *probe.Report {
	t.Helper()
	report, err := probe.Judge(trace.Read(bytes.NewReader(text)))
	if err != nil {
		t.Fatalf("judge: %v", err)
	}
	return report
}
