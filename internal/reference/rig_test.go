package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// rig is a service that can be called over HTTP, with a clock that only the
// test moves.
type rig struct {
	t     testing.TB
	s     *Service
	url   string
	clock *testClock
}

func newRig(t testing.TB, store Store, clock *testClock, change func(*Options)) *rig {
	t.Helper()
	o := Defaults()
	o.Clock = clock
	if change != nil {
		change(&o)
	}
	s, err := New(store, o)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(s)
	srv.Config = newServer(s, &o)
	srv.Start()
	t.Cleanup(func() {
		s.end()
		srv.Close()
	})
	return &rig{t, s, srv.URL, clock}
}

type reply struct {
	status int
	header http.Header
	body   string
}

// client sends each request once: on a kept connection net/http would send a
// request with an Idempotency-Key again by itself.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send sends a request; header fields are "Name: value".
func (r *rig) send(ctx context.Context, method, path, body string, fields ...string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		req.Header.Add(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(text)}, err
}

func (r *rig) do(method, path, body string, fields ...string) reply {
	r.t.Helper()
	got, err := r.send(context.Background(), method, path, body, fields...)
	if err != nil {
		r.t.Errorf("%s %s: %v", method, path, err)
	}
	return got
}

// charge posts a charge.
func (r *rig) charge(key, body string, fields ...string) reply {
	r.t.Helper()
	return r.do("POST", "/v1/charges", body, append(fields, "Idempotency-Key: "+key)...)
}

// order is a charge's body.
func order(id string) string {
	return fmt.Sprintf(`{"order_id":%q,"amount":1999,"currency":"EUR"}`, id)
}

// effects counts by HTTP, as a verifier does.
func (r *rig) effects(order string) int {
	r.t.Helper()
	got := r.do("GET", "/v1/effects?limit=1000&order_id="+order, "")
	var page struct{ Data []json.RawMessage }
	if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 {
		r.t.Fatalf("effects of %s: %d %s", order, got.status, got.body)
	}
	return len(page.Data)
}

func (r *rig) wantEffects(order string, want int) {
	r.t.Helper()
	if n := r.effects(order); n != want {
		r.t.Errorf("%d effects for %s, want %d", n, order, want)
	}
}

// want checks a status and, for refusals, the problem's slug.
func (g reply) want(t testing.TB, status int, slug string) reply {
	t.Helper()
	if g.status != status {
		t.Errorf("status %d, want %d: %s", g.status, status, g.body)
	}
	if slug == "" {
		return g
	}
	var p struct {
		Type, Title, Detail string
		Status              int
	}
	err := json.Unmarshal([]byte(g.body), &p)
	if err != nil || g.header.Get("Content-Type") != "application/problem+json" ||
		p.Type != "/problems/"+slug || p.Status != status || p.Title == "" || p.Detail == "" {
		t.Errorf("got %s, want the problem %s", g.body, slug)
	}
	if _, known := explanations[slug]; !known {
		t.Errorf("the problem %s is not explained", slug)
	}
	return g
}

// replayed checks that an answer is another's replay.
func (g reply) replayed(t testing.TB, first reply) {
	t.Helper()
	if g.status != first.status || g.body != first.body {
		t.Errorf("replayed %d %q, first %d %q", g.status, g.body, first.status, first.body)
	}
	for _, name := range []string{"Content-Type", "Location", "Retry-After"} {
		if fmt.Sprint(g.header.Values(name)) != fmt.Sprint(first.header.Values(name)) {
			t.Errorf("%s is %q, first %q", name, g.header.Values(name), first.header.Values(name))
		}
	}
	if g.header.Get("Idempotent-Replayed") != "true" || first.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("marked %q after %q", g.header.Get("Idempotent-Replayed"), first.header.Get("Idempotent-Replayed"))
	}
}

// gate is a behaviour whose handler waits to be let through.
type gate struct {
	Behaviour
	entered chan struct{} // one for each handler that began
	open    chan struct{}
}

func newGate() *gate {
	return &gate{Correct{}, make(chan struct{}, 1000), make(chan struct{})}
}

func (g *gate) Execute(ctx context.Context, s *Service, call *Call, rec Record) (Outcome, error) {
	g.entered <- struct{}{}
	select {
	case <-g.open:
	case <-ctx.Done():
		return Outcome{}, context.Cause(ctx)
	}
	return g.Behaviour.Execute(ctx, s, call, rec)
}

func (g *gate) use(o *Options) { o.Behaviour = g }

// records counts the rows of the key table.
func records(t testing.TB, s Store) int {
	t.Helper()
	n, err := one(ctx, s.(*sqlStore).read, value[int], `SELECT count(*) FROM idempotency_keys`)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
