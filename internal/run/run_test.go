package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

const testContract = `
idem: contract/v1
name: t
target: {base_urls: ["http://127.0.0.1:1"], allow_hosts: [127.0.0.1]}
operations:
  - name: charge
    request:
      method: POST
      path: /v1/charges
      headers: {Content-Type: application/json}
      body: {order_id: "o-1", amount: 1999, currency: EUR}
      fresh: [/order_id]
    key: {header: Idempotency-Key, generate: uuid4}
    promise:
      duplicate: replay
      conflict: {status: [422]}
      in_flight: {wait: true}
      reorder: semantic
      retention: {at_least: 5s, at_most: 6s}
      lease: 1s
    effects:
      command: {run: [count, "{fresh:/order_id}"]}
      settle: 50ms
    expiry: {wait: 5s}
`

// charges is a small right service: what the runner is tried on.
type charges struct {
	mu      sync.Mutex
	records map[string]*chargeRecord
	effects map[string]int64
	sent    int
}

type chargeRecord struct {
	body    string
	answer  string
	expires time.Time
}

func (c *charges) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		w.WriteHeader(400)
		return
	}
	same, _ := json.Marshal(v)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	key := r.Header.Get("Idempotency-Key")
	rec := c.records[key]
	if rec != nil && time.Now().Before(rec.expires) {
		if rec.body != string(same) {
			w.WriteHeader(422)
			return
		}
		w.WriteHeader(201)
		io.WriteString(w, rec.answer)
		return
	}
	c.effects[fmt.Sprint(v["order_id"])]++
	time.Sleep(2 * time.Millisecond)
	rec = &chargeRecord{string(same), fmt.Sprintf(`{"id":%d}`, c.sent), time.Now().Add(5500 * time.Millisecond)}
	c.records[key] = rec
	w.WriteHeader(201)
	io.WriteString(w, rec.answer)
}

func (c *charges) Count(_ context.Context, s probe.Subject) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.effects[s.Fresh["/order_id"]], nil
}

// check runs the whole plan of testContract against a handler and judges it.
func check(t *testing.T, handler http.Handler, counter Counter) *probe.Report {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	return checkAt(t, server.URL, counter)
}

func checkAt(t *testing.T, url string, counter Counter) *probe.Report {
	t.Helper()
	return checkOver(t, wire.HTTP1, url, counter)
}

func checkOver(t *testing.T, speaks wire.Protocol, url string, counter Counter) *probe.Report {
	t.Helper()
	spec, err := contract.Parse("t.yaml", []byte(testContract), nil)
	if err != nil {
		t.Fatal(err)
	}
	base, err := wire.ParseEndpoint(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	base = base.Speaking(speaks)
	op := spec.Operations[0]
	plans, err := probe.Plans(op, probe.Env{RunID: "0123456789abcdef", Seed: 1, Keys: probe.GeneratedKeys{}}, probe.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	clock := func() int64 { return int64(time.Since(began)) + 1 }
	var recorded bytes.Buffer
	r := &Runner{Client: wire.New(wire.Options{Clock: clock, AllowHosts: spec.HostAllowed}), Clock: clock,
		Trace: trace.NewWriter(&recorded), Mask: &trace.Masker{}}
	header := &trace.Run{Schema: trace.Schema, Tool: "idem test", ID: "0123456789abcdef", Seed: 1,
		Began: "2026-11-30T00:00:00Z", File: spec.File, SHA256: spec.SHA256, Contract: testContract, Steps: probe.StepNames()}
	job := &Job{Operation: op, Plans: plans, Target: Target{Bases: []wire.Endpoint{base}, Counter: counter}}
	if err := r.Run(t.Context(), header, []*Job{job}); err != nil {
		t.Fatal(err)
	}
	report, err := probe.Judge(trace.Read(&recorded))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestRunsAndJudgesARightService(t *testing.T) {
	service := &charges{records: map[string]*chargeRecord{}, effects: map[string]int64{}}
	report := check(t, service, service)
	for _, s := range report.Operations[0].Steps {
		want := probe.Pass
		if s.Step == "crash" {
			want = probe.Inconclusive // the contract does not say how to kill it
		}
		if s.Verdict != want {
			b, _ := json.MarshalIndent(s, "", " ")
			t.Errorf("%s: %s, want %s\n%.3000s", s.Step, s.Verdict, want, b)
		}
	}
}

// TestStopsWhereTheRequestIsNotAccepted: a contract whose request the API
// refuses costs the control's two requests and no more, and says why.
func TestStopsWhereTheRequestIsNotAccepted(t *testing.T) {
	var asked atomic.Int64
	refuse := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		http.Error(w, "no such currency", http.StatusBadRequest)
	})
	service := &charges{effects: map[string]int64{}}
	report := check(t, refuse, service)
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests were sent, want 2", n)
	}
	if report.Exit != 3 {
		t.Errorf("exit %d, want 3", report.Exit)
	}
	why := report.Operations[0].Steps[0].Reasons[0].Text
	if !strings.Contains(why, "status 400") || !strings.Contains(why, "no such currency") {
		t.Errorf("the reason does not hold the answer: %s", why)
	}
}

// TestStopsWhereNobodyListens: nothing could be sent, said once and at once.
func TestStopsWhereNobodyListens(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	report := checkAt(t, server.URL, &charges{effects: map[string]int64{}})
	if report.Exit != 4 {
		t.Errorf("exit %d, want 4", report.Exit)
	}
	for _, s := range report.Operations[0].Steps[:3] {
		if s.Verdict != probe.Inconclusive || !strings.Contains(s.Reasons[0].Text, "no connection to "+server.URL) {
			t.Errorf("%s: %s %v", s.Step, s.Verdict, s.Reasons)
		}
	}
}

// TestStopsWhereHTTP2IsNotSpoken: that is no server's fault, and what would
// settle it is said.
func TestStopsWhereHTTP2IsNotSpoken(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != "PRI" { // the preface (RFC 9113, 3.4), which net/http takes for a request
			asked.Add(1)
		}
	}))
	defer server.Close()
	report := checkOver(t, wire.HTTP2, server.URL, &charges{effects: map[string]int64{}})
	if report.Exit != 4 || asked.Load() > 0 {
		t.Errorf("exit %d, want 4; %d requests arrived", report.Exit, asked.Load())
	}
	for _, s := range report.Operations[0].Steps[:3] {
		if s.Verdict != probe.Inconclusive || !strings.Contains(s.Reasons[0].Text, "the server does not speak HTTP/2") ||
			!strings.Contains(s.Reasons[0].Settle, "target.http: 1.1") {
			t.Errorf("%s: %s %+v", s.Step, s.Verdict, s.Reasons)
		}
	}
}
