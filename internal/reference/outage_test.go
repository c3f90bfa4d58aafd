package reference

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestOutage: without its records the service runs nothing, and the ledger can
// still be read; when they are back, what was finished is replayed.
func TestOutage(t *testing.T) {
	store, err := OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	o := Defaults()
	o.Admin = true
	s, err := New(store, o)
	if err != nil {
		t.Fatal(err)
	}
	do := func(method, path, key string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(`{"order_id":"o","amount":1,"currency":"EUR"}`))
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	want := func(w *httptest.ResponseRecorder, status int, text string) {
		t.Helper()
		if w.Code != status || !strings.Contains(w.Body.String(), text) {
			t.Errorf("status %d: %s, want %d with %s", w.Code, w.Body, status, text)
		}
	}
	first := do("POST", "/v1/charges", "finished")
	want(first, 201, "ch_")
	want(do("POST", "/admin/store?up=false", ""), 200, "false")
	want(do("POST", "/v1/charges", "new"), 503, "store-unavailable")
	want(do("POST", "/v1/charges", "finished"), 503, "store-unavailable")
	want(do("GET", "/healthz", ""), 503, "")
	if effects := do("GET", "/v1/effects?order_id=o", ""); strings.Count(effects.Body.String(), `"payment_id"`) != 1 {
		t.Errorf("effects in the outage: %s", effects.Body)
	}
	want(do("POST", "/admin/store?up=true", ""), 200, "true")
	again := do("POST", "/v1/charges", "finished")
	want(again, 201, first.Body.String())
	if again.Header().Get("Idempotent-Replayed") == "" {
		t.Error("what was finished before the outage is not replayed after it")
	}
	want(do("POST", "/v1/charges", "new"), 201, "ch_")
	want(do("POST", "/admin/store?up=perhaps", ""), 400, "up-invalid")
	want(do("GET", "/admin/store?up=false", ""), 405, "method")
}

// TestNoOutageWithoutTheHook: the hook is one of the tests'.
func TestNoOutageWithoutTheHook(t *testing.T) {
	store, err := OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := New(store, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/admin/store?up=false", nil))
	if w.Code != 404 || s.Store() != store {
		t.Errorf("status %d", w.Code)
	}
}

func TestOutageTakesAllOfTheRecords(t *testing.T) {
	store, err := OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	o := &outage{Store: store}
	o.takeAway(true)
	ctx, l := t.Context(), Lease{ID: "id", Owner: "o", Generation: 1}
	_, _, find := o.Find(ctx, "id")
	_, _, claim := o.Claim(ctx, Ask{Key: "k"})
	_, orphans := o.Orphans(ctx, time.Now(), 1)
	_, sweep := o.Sweep(ctx, time.Now(), 1)
	for name, err := range map[string]error{"Find": find, "Claim": claim, "Orphans": orphans, "Sweep": sweep,
		"Renew": o.Renew(ctx, l, time.Now()), "Intend": o.Intend(ctx, l, nil), "Commit": o.Commit(ctx, Change{Lease: l}),
		"Release": o.Release(ctx, l), "Yield": o.Yield(ctx, l, time.Now()), "Ping": o.Ping(ctx)} {
		if !errors.Is(err, errAway) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := o.Commit(ctx, Change{Now: time.Now()}); err != nil {
		t.Errorf("a change without a record: %v", err)
	}
}
