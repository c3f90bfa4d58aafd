package main

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// stripeAPI behaves as Stripe's API v1 documents its idempotent requests: form
// bodies; keys of one account, whatever the endpoint; status and body saved
// once an endpoint began, failures too; nothing saved of parameters that fail
// validation; 400 for other parameters, 409 while the first is under way.
var stripeAPI = api{
	name:   "stripe-v1",
	breaks: []string{"ignores-params", "no-claim", "forgets-on-restart", "forgets-failures", "shares-accounts"},
	open: func(b *book) http.Handler {
		s := &stripe{b}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v1/charges", s.create)
		mux.HandleFunc("POST /v1/refunds", s.create)
		mux.HandleFunc("GET /v1/charges", s.list)
		return mux
	},
}

type stripe struct{ *book }

const stripeKeyMost = 255

func (s *stripe) create(w http.ResponseWriter, r *http.Request) {
	account, key := bearer(r), r.Header.Get("Idempotency-Key")
	raw, err := io.ReadAll(r.Body)
	params, bad := url.ParseQuery(string(raw))
	switch {
	case !strings.HasPrefix(account, "sk_test_"):
		stripeError(401, "invalid_request_error", "", "no API key").send(w)
		return
	case err != nil || bad != nil:
		stripeError(400, "invalid_request_error", "", "the form cannot be read").send(w)
		return
	case len(key) > stripeKeyMost:
		stripeError(400, "invalid_request_error", "", "the idempotency key is too long").send(w)
		return
	case key == "":
		e, began := s.run(r, params)
		if began && s.perform(e, taking(params.Get("metadata[take]"))) != nil {
			e.Answer = stripeError(500, "api_error", "", "the result could not be kept")
		}
		e.Answer.send(w)
		return
	}
	print := fingerprint(r.Method, r.URL.Path, params.Encode())
	scoped := account + "\n" + key
	if s.broken == "shares-accounts" {
		scoped = key
	}
	f := s.claim(scoped, print)
	switch {
	case f.other != nil && f.other.print != print, f.record != nil && f.record.Print != print && s.broken != "ignores-params":
		stripeError(400, "idempotency_error", "", "this key was used with other parameters").send(w)
		return
	case f.other != nil:
		stripeError(409, "idempotency_error", "idempotency_key_in_use", "a request with this key is under way").send(w)
		return
	case f.record != nil:
		f.record.Answer.send(w, "Idempotent-Replayed", "true", "Idempotency-Key", key)
		return
	}
	defer s.done(scoped)
	e, began := s.run(r, params)
	if began && (e.Answer.Status < 400 || s.broken != "forgets-failures") {
		e.Key, e.Print, e.At = scoped, print, time.Now()
		if err := s.perform(e, taking(params.Get("metadata[take]"))); err != nil {
			stripeError(500, "api_error", "", "the result could not be kept").send(w)
			return
		}
	}
	e.Answer.send(w, "Idempotency-Key", key)
}

// run checks and executes; began is false where validation failed.
func (s *stripe) run(r *http.Request, params url.Values) (e entry, began bool) {
	amount, err := strconv.ParseInt(params.Get("amount"), 10, 64)
	switch {
	case err != nil || amount < 1:
		return entry{Answer: stripeError(400, "invalid_request_error", "parameter_invalid_integer", "amount must be a positive integer")}, false
	case len(params.Get("currency")) != 3:
		return entry{Answer: stripeError(400, "invalid_request_error", "parameter_invalid", "currency has three letters")}, false
	case params.Get("source") == "":
		return entry{Answer: stripeError(400, "invalid_request_error", "parameter_missing", "source is missing")}, false
	case params.Get("source") == "tok_chargeDeclined":
		return entry{Answer: stripeError(402, "card_error", "card_declined", "the card was declined")}, true
	case r.Header.Get("X-Test-Fail") != "":
		return entry{Answer: stripeError(500, "api_error", "", "the network behind failed")}, true
	}
	id := newID("ch_")
	kind := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/v1/"), "s")
	metadata := object{}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if inner, ok := strings.CutPrefix(name, "metadata["); ok {
			metadata[strings.TrimSuffix(inner, "]")] = params.Get(name)
		}
	}
	return entry{ID: id, Effect: bearer(r) + "\n" + kind + "\n" + params.Get("transfer_group"), Answer: says(200, object{
		"id": id, "object": kind, "amount": amount, "currency": params.Get("currency"), "status": "succeeded",
		"created": time.Now().Unix(), "transfer_group": params.Get("transfer_group"), "metadata": metadata})}, true
}

// list gives the charges of a transfer group.
func (s *stripe) list(w http.ResponseWriter, r *http.Request) {
	data := []any{}
	for _, e := range s.count(bearer(r) + "\ncharge\n" + r.URL.Query().Get("transfer_group")) {
		data = append(data, object{"id": e.ID, "object": "charge"})
	}
	says(200, object{"object": "list", "data": data, "has_more": false}).send(w)
}

func stripeError(status int, kind, code, message string) answer {
	e := object{"type": kind, "message": message}
	if code != "" {
		e["code"] = code
	}
	return says(status, object{"error": e})
}
