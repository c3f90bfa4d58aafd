package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// long is a text in UTF-8 of n characters of two bytes.
func long(n int) string { return strings.Repeat("\u00e9", n) }

// TestWhatIsAChargesID: the same table is in TypeScript.
func TestWhatIsAChargesID(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"ch_1"}`:                            "ch_1",
		` {"a":[1e999],"id":"ch_1"} `:              "ch_1",
		`{"ID":"ch_2","id":"ch_1"}`:                "ch_1",
		`{"id":"ch_2","id":"ch_1"}`:                "ch_1",
		`{"id":"\u0063h_1"}`:                       "ch_1",
		`{"id":"\ud83d\ude00"}`:                    "\U0001f600",
		`{"id":"` + long(255) + `"}`:               long(255),
		"{\"id\":\"ch\u2028\u00a0'\"}":             "ch\u2028\u00a0'",
		`{"id":"` + long(256) + `"}`:               "",
		`{"ID":"ch_1"}`:                            "",
		`{"Id":"ch_1"}`:                            "",
		`{"id":"ch_1"}{"id":"ch_2"}`:               "",
		`{"id":"ch_1"} x`:                          "",
		`{"id":"ch_1"`:                             "",
		`{"id":"ch_1",}`:                           "",
		`{"id":"ch\u0000"}`:                        "",
		`{"id":"ch\n"}`:                            "",
		`{"id":"ch\u007f"}`:                        "",
		`{"id":"ch\ud800"}`:                        "",
		`{"id":"ch\udc00\ud800"}`:                  "",
		`{"id":"ch\ufffd"}`:                        "",
		"{\"id\":\"ch\x00\"}":                      "",
		"{\"id\":\"ch\xff\"}":                      "",
		"{\"id\":\"ch_1\",\"a\":\"\xc3\"}":         "",
		"{\"id\":\"ch_1\",\"a\":\"\xed\xa0\x80\"}": "",
		"\xef\xbb\xbf{\"id\":\"ch_1\"}":            "",
		`{"id":""}`:                                "",
		`{"id":1}`:                                 "",
		`{"id":null}`:                              "",
		`{"id":["ch_1"]}`:                          "",
		`{}`:                                       "",
		`[{"id":"ch_1"}]`:                          "",
		`["id"]`:                                   "",
		`"id"`:                                     "",
		`null`:                                     "",
		``:                                         "",
	} {
		if id, ok := chargeID([]byte(text)); ok != (want != "") || ok && id != want {
			t.Errorf("%q: %q, %v", text, id, ok)
		}
	}
	if _, ok := chargeID([]byte(`{"id":"ch_1"}` + strings.Repeat(" ", maxAnswer))); ok {
		t.Error("it read more than its bound")
	}
}

// TestAChargeThatCannotBeKept may have been made: it stays pending, whichever the
// database is, and no database is asked to keep it.
func TestAChargeThatCannotBeKept(t *testing.T) {
	settings, p := database(t), newProvider(t)
	pay := payments(t, settings, p)
	for i, id := range []string{`ch\u0000`, "ch\xff", `ch\ud800`, long(256)} {
		key := fmt.Sprint("k", i)
		p.behave(nil, answers(201, `{"id":"`+id+`"}`))
		if a, err := pay.Pay(t.Context(), ask(key, key)); !errors.Is(err, errUnknown) {
			t.Errorf("%q: %v, %v", id, a, err)
		}
		age(t, pay.store, key, settings.Lease)
		if err := pay.Reconcile(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if n := count(t, pay.store, "idempotency_keys WHERE status IS NULL AND intent IS NOT NULL"); n != 4 || count(t, pay.store, "orders") != 0 {
		t.Errorf("%d pending", n)
	}
	p.behave(nil, answers(201, `{"id":"`+long(255)+`"}`))
	if a := must(t)(pay.Pay(t.Context(), ask("kept", "kept"))); !strings.Contains(a.Body, long(255)) || count(t, pay.store, "orders WHERE charge_id = ?", long(255)) != 1 {
		t.Error(a)
	}
}

// TestNoProxyComesBetween: what HTTP_PROXY names gets no charge. The service is a
// process of its own, because Go reads the variable once; the provider is at no
// loopback address, which Go would take no proxy for.
func TestNoProxyComesBetween(t *testing.T) {
	var seen atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		seen.Add(1)
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"id":"ch_proxy"}`)
	}))
	defer proxy.Close()
	settings := database(t)
	s := start(t, settings, "PROVIDER_URL=http://provider.invalid", "LEASE=1s", "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL, "NO_PROXY=", "no_proxy=")
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/v1/payments", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "k")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if said := text(t, resp); resp.StatusCode != 503 || !strings.Contains(said, "effect-unknown") || seen.Load() != 0 {
		t.Errorf("%s %s, and the proxy saw %d requests", resp.Status, said, seen.Load())
	}
}
