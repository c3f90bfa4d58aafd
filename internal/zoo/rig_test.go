package zoo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// rig is a variant that serves on a store in memory, by a clock that the test
// moves on.
type rig struct {
	testing.TB
	variant Variant
	store   *hooked
	clock   *clock
	gate    *gate
	url     string
	starts  int
	rounds  int // of waiting for what is about to happen, 5 ms each
}

const testLease, testRetention = time.Minute, time.Hour

func newRig(t testing.TB, v Variant) *rig {
	t.Helper()
	store, err := reference.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	r := &rig{TB: t, variant: v, store: &hooked{Store: store}, clock: &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}, rounds: 3000}
	r.restart()
	return r
}

// restart leaves the process that served until now as it is, as if it hung, and
// serves by a new one on the same store.
func (r *rig) restart() {
	r.Helper()
	r.gate = &gate{Behaviour: reference.Correct{}}
	r.store = &hooked{Store: r.store.Store}
	o := reference.Defaults()
	o.Lease, o.Retention = testLease, testRetention
	o.WaitMax, o.SweepEvery = 5*time.Second, 1000*time.Hour // it sweeps when it starts
	o.Clock, o.Behaviour, o.Admin = r.clock, r.gate, true
	r.starts++
	o.Instance = fmt.Sprint("process-", r.starts)
	s, err := r.variant.Service(r.store, o)
	if err != nil {
		r.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l, time.Millisecond) }()
	r.url = "http://" + l.Addr().String()
	gate, store := r.gate, r.store
	r.Cleanup(func() {
		gate.open()
		store.revive()
		stop()
		<-done
	})
}

func (r *rig) pass(d time.Duration) { r.clock.pass(d) }

// reply is an answer, or that there was none.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

// client sends each request once (net/http would send some again).
var client = clientOf(func(p *http.Protocols) { p.SetHTTP1(true) })

// clientOfHTTP2 begins with HTTP/2.
var clientOfHTTP2 = clientOf(func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) })

func clientOf(speaks func(*http.Protocols)) *http.Client {
	protocols := new(http.Protocols)
	speaks(protocols)
	return &http.Client{
		Timeout:       30 * time.Second,
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true, Protocols: protocols},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// client speaks the version of HTTP that the variant's contract names.
func (r *rig) client() *http.Client {
	if r.variant.says().Target["http"] == `"2"` {
		return clientOfHTTP2
	}
	return client
}

func (r *rig) send(method, path, key, body string) reply {
	header := http.Header{}
	if key != "" {
		header.Set("Idempotency-Key", key)
	}
	return r.sendWith(context.Background(), header, method, path, body)
}

func (r *rig) sendWith(ctx context.Context, header http.Header, method, path, body string) (got reply) {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, strings.NewReader(body))
	if err != nil {
		return reply{err: err}
	}
	req.Header = header
	resp, err := r.client().Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(text), err}
}

// order is a charge's body, with further members as JSON text.
func order(id string, further ...string) string {
	return fmt.Sprintf(`{"order_id":%q,"amount":1999,"currency":"EUR"%s}`, id, strings.Join(append([]string{""}, further...), ","))
}

// charge sends the charge of order "o" under the key "k".
func (r *rig) charge() reply { return r.send("POST", "/v1/charges", "k", order("o")) }

// with sends another body under the same key.
func (r *rig) with(body string) reply { return r.send("POST", "/v1/charges", "k", body) }

func (r *rig) effects(id string) int {
	r.Helper()
	got := r.send("GET", "/v1/effects?limit=1000&order_id="+id, "", "")
	var page struct{ Data []json.RawMessage }
	if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 {
		r.Fatalf("effects of %s: %+v", id, got)
	}
	return len(page.Data)
}

func (r *rig) wantEffects(id string, want int) {
	r.Helper()
	if n := r.effects(id); n != want {
		r.Errorf("%d effects for %s, want %d", n, id, want)
	}
}

func (r *rig) want(got reply, status int) reply {
	r.Helper()
	if got.err != nil || got.status != status {
		r.Errorf("status %d (%v), want %d: %.200s", got.status, got.err, status, got.body)
	}
	return got
}

// replayed wants an answer to be another's replay in all that is promised.
func (r *rig) replayed(got, first reply) {
	r.Helper()
	if !same(got, first) || got.header.Get(markerName) != markerValue {
		r.Errorf("got %d %v %.200s, want the replay of %.200s", got.status, got.header, got.body, first.body)
	}
}

func same(a, b reply) bool {
	return a.err == nil && a.status == b.status && a.body == b.body &&
		a.header.Get("Location") == b.header.Get("Location") && a.header.Get("Content-Type") == b.header.Get("Content-Type")
}

// race sends the charge, and when its handler is at work so many copies of it;
// the handler goes on when each of them has looked at the key and so many of
// them are at work too. The first answer is the first one's.
func (r *rig) race(copies, atWork int) []reply {
	r.Helper()
	r.gate.shut()
	answers := make([]reply, 1+copies)
	var all sync.WaitGroup
	send := func(i int) { all.Go(func() { answers[i] = r.charge() }) }
	send(0)
	r.eventually("the first is at work", func() bool { return r.gate.entered() == 1 })
	for i := range copies {
		send(1 + i)
	}
	r.eventually("the copies came", func() bool {
		return r.gate.looked() == 1+copies && r.gate.entered() >= 1+atWork
	})
	r.gate.open()
	all.Wait()
	return answers
}

// together sends copies of the charge that all look at the key before any of
// them does more.
func (r *rig) together(copies int) []reply {
	r.Helper()
	r.store.meet(copies)
	answers := make([]reply, copies)
	var all sync.WaitGroup
	for i := range copies {
		all.Go(func() { answers[i] = r.charge() })
	}
	all.Wait()
	return answers
}

// die sends the charge to a process that hangs in its handler, or before its
// commit of a number where that is not 0, and serves by another one.
func (r *rig) die(commit int) {
	r.Helper()
	store, gate := r.store, r.gate
	if commit == 0 {
		gate.shut()
	}
	store.hangBefore(commit)
	done := make(chan struct{})
	dying := *r // calls the process that is served by until now
	go func() { defer close(done); dying.charge() }()
	r.eventually("the service hangs", func() bool {
		if commit == 0 {
			return gate.entered() > 0
		}
		return store.hangs()
	})
	store.kill()
	r.restart()
	r.Cleanup(func() {
		gate.open()
		store.revive()
		<-done
	})
}

func (r *rig) eventually(what string, holds func() bool) {
	r.Helper()
	for range r.rounds {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.Fatalf("never happened: %s", what)
}

// clock passes only where the test moves it on; what waits no longer than a
// second waits for the machine's.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []timer
}

type timer struct {
	at    time.Time
	fires chan time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration) (<-chan time.Time, func()) {
	if d <= time.Second {
		t := time.NewTimer(d)
		return t.C, func() { t.Stop() }
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fires := make(chan time.Time, 1)
	c.timers = append(c.timers, timer{c.now.Add(d), fires})
	return fires, func() {}
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	var later []timer
	for _, t := range c.timers {
		if t.at.After(c.now) {
			later = append(later, t)
		} else {
			t.fires <- c.now
		}
	}
	c.timers = later
}

// gate is the right behaviour whose handler can be held.
type gate struct {
	reference.Behaviour
	mu     sync.Mutex
	closed chan struct{}            // nil: open
	inside int                      // handlers that came to it since it was shut
	came   *reference.Call          // the first of them
	calls  map[*reference.Call]bool // that have looked at their key since
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed, g.inside, g.came, g.calls = make(chan struct{}), 0, nil, map[*reference.Call]bool{}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		close(g.closed)
		g.closed = nil
	}
}

func (g *gate) entered() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside
}

func (g *gate) looked() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.calls)
}

func (g *gate) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := g.Behaviour.Claim(ctx, s, call, ask)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls != nil {
		g.calls[call] = true
	}
	return claim, err
}

func (g *gate) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	g.mu.Lock()
	closed := g.closed
	if g.inside++; g.inside == 1 {
		g.came = call
	}
	g.mu.Unlock()
	if closed != nil {
		select {
		case <-closed:
		case <-ctx.Done():
			return reference.Outcome{}, context.Cause(ctx)
		}
	}
	return g.Behaviour.Execute(ctx, s, call, rec)
}

// hooked is a store that has some look-ups meet, and hangs before a commit.
type hooked struct {
	reference.Store
	mu      sync.Mutex
	met     int           // look-ups that are to meet yet
	meeting chan struct{} // closed when they have
	commits int           // until it hangs; 0: it does not
	hanging chan struct{} // closed when it goes on
	hung    bool
	dead    bool
}

func (h *hooked) kill() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dead = true
}

// Renew of a dead process does nothing.
func (h *hooked) Renew(ctx context.Context, l reference.Lease, until time.Time) error {
	h.mu.Lock()
	dead := h.dead
	h.mu.Unlock()
	if dead {
		return context.Canceled
	}
	return h.Store.Renew(ctx, l, until)
}

func (h *hooked) meet(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.met, h.meeting = n, make(chan struct{})
}

func (h *hooked) Find(ctx context.Context, id string) (reference.Record, bool, error) {
	rec, found, err := h.Store.Find(ctx, id)
	h.mu.Lock()
	var meeting chan struct{}
	if h.met > 0 {
		meeting = h.meeting
		if h.met--; h.met == 0 {
			close(h.meeting)
		}
	}
	h.mu.Unlock()
	if meeting != nil {
		<-meeting
	}
	return rec, found, err
}

func (h *hooked) hangBefore(commit int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.commits, h.hanging = commit, make(chan struct{})
}

func (h *hooked) hangs() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hung
}

func (h *hooked) revive() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hanging != nil {
		close(h.hanging)
		h.hanging = nil
	}
}

// Commit of a process that hung or died does nothing any more.
func (h *hooked) Commit(ctx context.Context, c reference.Change) error {
	h.mu.Lock()
	var hanging chan struct{}
	dead := h.dead
	if h.commits > 0 {
		if h.commits--; h.commits == 0 {
			hanging, h.hung = h.hanging, true
		}
	}
	h.mu.Unlock()
	if hanging != nil {
		<-hanging
	}
	if hanging != nil || dead {
		return context.Canceled
	}
	return h.Store.Commit(ctx, c)
}
