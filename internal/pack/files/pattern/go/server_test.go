package main

import (
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const body = `{"tenant":"acme","cart":{"id":"c_1042","version":3},"amount":1999,"currency":"EUR",` +
	`"customer":{"email":"customer@example.com"},"sent_at":"2026-11-30T10:15:00Z"}`

// served is a server, and how it is asked.
func served(t *testing.T) (store *Store, ask func(method, path, body string, head ...string) *http.Response) {
	store = open(t, database(t))
	server := httptest.NewServer(NewServer(store, NewPayments(store, Settings{Lease: time.Second})))
	t.Cleanup(server.Close)
	return store, func(method, path, body string, head ...string) *http.Response {
		t.Helper()
		req, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for _, h := range head {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAReplayIsTheFirstAnswerAndSaysSo(t *testing.T) {
	_, ask := served(t)
	key := "Idempotency-Key: k"
	first, second := ask("POST", "/v1/checkouts", body, key), ask("POST", "/v1/checkouts", body, key)
	was, is := text(t, first), text(t, second)
	if first.StatusCode != 201 || second.StatusCode != 201 || was != is || first.Header.Get("Location") != second.Header.Get("Location") ||
		first.Header.Get("Content-Type") != second.Header.Get("Content-Type") {
		t.Errorf("%v %s, then %v %s", first.Header, was, second.Header, is)
	}
	if first.Header.Get("Idempotent-Replayed") != "" || second.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the marker is wrong")
	}
	if shown := text(t, ask("GET", first.Header.Get("Location"), "")); shown != was {
		t.Errorf("%s is shown as %s", was, shown)
	}
	var list struct{ Data []json.RawMessage }
	if err := json.Unmarshal([]byte(text(t, ask("GET", "/v1/orders?cart_id=c_1042", ""))), &list); err != nil || len(list.Data) != 1 || string(list.Data[0]) != was {
		t.Errorf("%s, %v", list.Data, err)
	}
}

func TestRefusals(t *testing.T) {
	store, ask := served(t)
	if r := ask("POST", "/v1/checkouts", body, "Idempotency-Key: used"); r.StatusCode != 201 {
		t.Fatal(r.Status)
	}
	key := "Idempotency-Key: k"
	for name, c := range map[string]struct {
		r      *http.Response
		status int
		slug   string
	}{
		"no key":           {ask("POST", "/v1/checkouts", body), 400, "key-missing"},
		"an empty key":     {ask("POST", "/v1/checkouts", body, "Idempotency-Key: "), 400, "key-invalid"},
		"a long key":       {ask("POST", "/v1/checkouts", body, "Idempotency-Key: "+strings.Repeat("k", 256)), 400, "key-invalid"},
		"no JSON":          {ask("POST", "/v1/checkouts", "a=b", key), 400, "body-malformed"},
		"a form":           {ask("POST", "/v1/checkouts", body, key, "Content-Type: application/x-www-form-urlencoded"), 415, "media-type"},
		"an unknown":       {ask("POST", "/v1/checkouts", body[:len(body)-1]+`,"x":1}`, key), 422, "body-invalid"},
		"a large body":     {ask("POST", "/v1/checkouts", strings.Repeat(" ", maxBody)+body, key), 413, "body-too-large"},
		"another request":  {ask("POST", "/v1/checkouts", strings.Replace(body, "1999", "2000", 1), "Idempotency-Key: used"), 422, "key-conflict"},
		"no provider":      {ask("POST", "/v1/payments", body, key), 503, "no-provider"},
		"another method":   {ask("PUT", "/v1/checkouts", body, key), 405, "method"},
		"another path":     {ask("POST", "/v1/checkout", body, key), 404, "not-found"},
		"no cart":          {ask("GET", "/v1/orders", ""), 400, "cart-missing"},
		"a stranger's":     {ask("GET", ask("POST", "/v1/checkouts", body, "Idempotency-Key: used").Header.Get("Location"), "", "Authorization: Bearer x"), 404, "not-found"},
		"an order of none": {ask("GET", "/v1/orders/ord_x", ""), 404, "not-found"},
	} {
		var problem struct {
			Type, Title, Detail string
			Status              int
		}
		said := text(t, c.r)
		if err := json.Unmarshal([]byte(said), &problem); err != nil || c.r.StatusCode != c.status || problem.Status != c.status ||
			problem.Type != "/problems/"+c.slug || c.r.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s %s", name, c.r.Status, said)
		}
	}
	if n := count(t, store, "idempotency_keys"); n != 1 {
		t.Errorf("refusals left %d keys", n-1)
	}
}

// TestInFlightAndUnavailable: 409 while another owns the key for longer than
// the patience, 503 where the database is gone; both say when to come back.
func TestInFlightAndUnavailable(t *testing.T) {
	store, post := served(t)
	r := ask("k", "c_1042")
	c, err := readCheckout([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Caller, r.Fingerprint = callerOf(nil), fingerprint("POST", "/v1/checkouts", c)
	if err := store.transaction(t.Context(), func(tx *sql.Tx) error { _, err := store.claim(t.Context(), tx, r); return err }); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	got := post("POST", "/v1/checkouts", body, "Idempotency-Key: k")
	if got.StatusCode != 409 || got.Header.Get("Retry-After") != "1" || time.Since(began) < patience {
		t.Errorf("%s after %s", got.Status, time.Since(began))
	}
	store.Close()
	for _, got := range []*http.Response{post("POST", "/v1/checkouts", body, "Idempotency-Key: k"), post("GET", "/healthz", "")} {
		if got.StatusCode != 503 || got.Header.Get("Retry-After") != "1" {
			t.Error(got.Status)
		}
	}
}
