package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// called is what cleaned up, for tests.
type called struct {
	mu   sync.Mutex
	made []*Made
	fail string // the key for which it fails
}

func (c *called) cleanup(_ context.Context, m *Made) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = append(c.made, m)
	if c.fail == "all" {
		return errors.New("no such thing: s3cr3t-token")
	}
	return nil
}

// rig is a runner with the plans of one operation against a service.
type rig struct {
	runner   *Runner
	header   *trace.Run
	jobs     []*Job
	recorded bytes.Buffer
}

func newRig(t *testing.T, handler http.Handler, counter Counter, only ...string) *rig {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	spec, err := contract.Parse("t.yaml", []byte(testContract), nil)
	if err != nil {
		t.Fatal(err)
	}
	base, err := wire.ParseEndpoint(server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	op := spec.Operations[0]
	plans, err := probe.Plans(op, probe.Env{RunID: "0123456789abcdef", Seed: 1, Keys: probe.GeneratedKeys{}}, probe.Selection{Only: only})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	clock := func() int64 { return int64(time.Since(began)) + 1 }
	g := &rig{header: &trace.Run{Schema: trace.Schema, Tool: "idem test", ID: "0123456789abcdef", Seed: 1,
		Began: "2026-11-30T00:00:00Z", File: spec.File, SHA256: spec.SHA256, Contract: testContract, Steps: probe.StepNames()}}
	mask := &trace.Masker{}
	mask.Add("s3cr3t-token", "auth")
	g.runner = &Runner{Client: wire.New(wire.Options{Clock: clock, AllowHosts: spec.HostAllowed}), Clock: clock,
		Trace: trace.NewWriter(&g.recorded), Mask: mask}
	g.jobs = []*Job{{Operation: op, Plans: plans, Target: Target{Bases: []wire.Endpoint{base}, Counter: counter}}}
	return g
}

// sentKeys gives the operations that left: by key and fresh values.
func (g *rig) sentKeys() map[string]bool {
	asked, out := map[string]*probe.Request{}, map[string]bool{}
	for _, p := range g.jobs[0].Plans {
		for _, q := range p.Requests {
			asked[q.ID] = q
		}
	}
	for e, err := range trace.Read(bytes.NewReader(g.recorded.Bytes())) {
		if err == nil && e.Kind == trace.KindSent {
			q := asked[e.Sent.Request]
			out[q.Key+" "+q.Fresh["/order_id"]] = true
		}
	}
	return out
}

func (g *rig) judge(t *testing.T) *probe.Report {
	t.Helper()
	r, err := probe.Judge(trace.Read(bytes.NewReader(g.recorded.Bytes())))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newCharges() *charges {
	return &charges{records: map[string]*chargeRecord{}, effects: map[string]int64{}}
}

// TestCleanupIsCalledOnceForEachOperation that was sent, and for no other.
func TestCleanupIsCalledOnceForEachOperation(t *testing.T) {
	service, c := newCharges(), &called{}
	g := newRig(t, service, service, "duplicate", "conflict")
	g.runner.Cleanup = c.cleanup
	if err := g.runner.Run(t.Context(), g.header, g.jobs); err != nil {
		t.Fatal(err)
	}
	want, got := g.sentKeys(), map[string]int{}
	for _, m := range c.made {
		got[m.Key+" "+m.Fresh["/order_id"]]++
		if service.effects[m.Fresh["/order_id"]] > 0 && !strings.HasPrefix(string(m.Answer), `{"id":`) {
			t.Errorf("%s: the answer is %q", m.Key, m.Answer)
		}
	}
	if len(want) < 8 || len(got) != len(want) {
		t.Errorf("%d operations sent, cleaned up %d", len(want), len(got))
	}
	for id := range want {
		if got[id] != 1 {
			t.Errorf("%s: called %d times", id, got[id])
		}
	}
	r := g.judge(t)
	if r.Verdict != probe.Pass || len(r.Notes) != 1 || r.Notes[0] != fmt.Sprintf("cleanup was called for %d operations", len(want)) {
		t.Errorf("%s %v", r.Verdict, r.Notes)
	}
}

// TestFailedCleanupIsToldAndChangesNoVerdict.
func TestFailedCleanupIsToldAndChangesNoVerdict(t *testing.T) {
	service := newCharges()
	g := newRig(t, service, service, "duplicate")
	g.runner.Cleanup = (&called{fail: "all"}).cleanup
	if err := g.runner.Run(t.Context(), g.header, g.jobs); err != nil {
		t.Fatal(err)
	}
	if left := g.runner.Left(); left != "cleanup failed for 3 of 3 operations, first: no such thing: «auth»" {
		t.Error(left)
	}
	r := g.judge(t)
	if r.Exit != 0 || r.Verdict != probe.Pass || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "cleanup failed for 3 of 3 operations, first charge order_id=") {
		t.Errorf("%d %s %v", r.Exit, r.Verdict, r.Notes)
	}
	if strings.Contains(g.recorded.String(), "s3cr3t-token") {
		t.Error("the trace shows a secret")
	}
}

// TestCleanupAfterAnInterruption: what was sent is cleaned up, what was not is left.
func TestCleanupAfterAnInterruption(t *testing.T) {
	service, c := newCharges(), &called{}
	ctx, stop := context.WithCancel(t.Context())
	seen := 0
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		service.mu.Lock()
		if seen++; seen == 5 {
			stop()
		}
		service.mu.Unlock()
		service.ServeHTTP(w, r)
	}), service, "conflict")
	g.runner.Cleanup = c.cleanup
	if err := g.runner.Run(ctx, g.header, g.jobs); err != nil {
		t.Fatal(err)
	}
	want := g.sentKeys()
	if len(want) == 0 || len(c.made) != len(want) {
		t.Errorf("%d sent, %d cleaned up", len(want), len(c.made))
	}
	if r := g.judge(t); r.Exit != 130 {
		t.Errorf("exit %d", r.Exit)
	}
}

// TestCleanupIsCutShort: a user who has no time ends the calls under way and
// those to come, and is told what is left.
func TestCleanupIsCutShort(t *testing.T) {
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201) }), nil, "duplicate")
	hurry := make(chan struct{})
	var once sync.Once
	g.runner.Hurry = hurry
	g.runner.Cleanup = func(ctx context.Context, _ *Made) error {
		once.Do(func() { close(hurry) })
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(30 * time.Second):
			return nil
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() { // the first signal comes while it cleans up
		defer close(stopped)
		<-hurry
		stop()
	}()
	if err := g.runner.Run(ctx, g.header, g.jobs); err != nil {
		t.Fatal(err)
	}
	<-stopped
	f := g.runner.ledger.failures
	if f.failed == 0 || f.failed != f.of {
		t.Errorf("%d of %d calls are told of as failed", f.failed, f.of)
	}
	if text := g.recorded.String(); f.of > cleanupsAtOnce && !strings.Contains(text, cleanupCutShort) {
		t.Error("what was not called does not say why")
	}
	if !strings.HasPrefix(g.runner.Left(), "cleanup failed for ") {
		t.Errorf("%q", g.runner.Left())
	}
}
