package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
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
      retention: {at_least: 2500ms, at_most: 3s}
      lease: 1s
    effects:
      command: {run: [count, "{fresh:/order_id}"]}
      settle: 50ms
    expiry: {wait: 2500ms}
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
	rec = &chargeRecord{string(same), fmt.Sprintf(`{"id":%d}`, c.sent), time.Now().Add(2800 * time.Millisecond)}
	c.records[key] = rec
	w.WriteHeader(201)
	io.WriteString(w, rec.answer)
}

func (c *charges) Count(_ context.Context, s probe.Subject) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.effects[s.Fresh["/order_id"]], nil
}

func TestRunsAndJudgesARightService(t *testing.T) {
	service := &charges{records: map[string]*chargeRecord{}, effects: map[string]int64{}}
	server := httptest.NewServer(service)
	defer server.Close()
	spec, err := contract.Parse("t.yaml", []byte(testContract), nil)
	if err != nil {
		t.Fatal(err)
	}
	base, err := wire.ParseEndpoint(server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
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
	job := &Job{Operation: op, Plans: plans, Target: Target{Bases: []wire.Endpoint{base}, Counter: service}}
	if err := r.Run(t.Context(), header, []*Job{job}); err != nil {
		t.Fatal(err)
	}
	report, err := probe.Judge(trace.Read(&recorded))
	if err != nil {
		t.Fatal(err)
	}
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
