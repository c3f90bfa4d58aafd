package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// keyInBodyAPI takes its key as a member of the JSON body, of at most 45
// characters, as Square's payments do. A duplicate that comes while the first
// is under way waits for its result.
var keyInBodyAPI = api{
	name:   "key-in-body",
	breaks: []string{"ignores-money", "no-claim", "runs-keyless", "drops-large"},
	open: func(b *book) http.Handler {
		s := &payments{b}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v2/payments", s.create)
		mux.HandleFunc("GET /v2/payments", s.list)
		return mux
	},
}

type payments struct{ *book }

const paymentKeyMost = 45

func (s *payments) create(w http.ResponseWriter, r *http.Request) {
	caller := bearer(r)
	body, _, err := readJSON(r.Body)
	key := text(body, "idempotency_key")
	switch {
	case caller == "":
		paymentError(401, "AUTHENTICATION_ERROR", "UNAUTHORIZED", "").send(w)
		return
	case err != nil:
		paymentError(400, "INVALID_REQUEST_ERROR", "BAD_REQUEST", "").send(w)
		return
	case key == "" && s.broken == "runs-keyless":
		e := s.run(caller, body)
		s.perform(e, 0)
		e.Answer.send(w)
		return
	case key == "":
		paymentError(400, "INVALID_REQUEST_ERROR", "MISSING_REQUIRED_PARAMETER", "idempotency_key").send(w)
		return
	case len([]rune(key)) > paymentKeyMost:
		paymentError(400, "INVALID_REQUEST_ERROR", "VALUE_TOO_LONG", "idempotency_key").send(w)
		return
	}
	delete(body, "idempotency_key")
	compared := body
	if s.broken == "ignores-money" {
		compared = object{}
		for name, v := range body {
			if name != "amount_money" {
				compared[name] = v
			}
		}
	}
	print, scoped := fingerprint(canonical(compared)), caller+"\n"+key
	f, err := s.await(r, scoped, print)
	switch {
	case err != nil:
		return // the caller has gone
	case f.record != nil && f.record.Print != print:
		paymentError(400, "INVALID_REQUEST_ERROR", "IDEMPOTENCY_KEY_REUSED", "idempotency_key").send(w)
		return
	case f.record != nil:
		f.record.Answer.send(w)
		return
	}
	defer s.done(scoped)
	e := s.run(caller, body)
	e.pad(r.Header.Get("X-Test-Pad"))
	if e.Effect != "" {
		if s.broken != "drops-large" || len(e.Answer.Body) < largeAnswer {
			e.Key, e.Print, e.At = scoped, print, time.Now()
		}
		if err := s.perform(e, taking(text(body, "take"))); err != nil {
			e.Answer = paymentError(500, "API_ERROR", "INTERNAL_SERVER_ERROR", "")
		}
	}
	e.Answer.send(w)
}

// mostPad bounds how large a test may make an answer, and largeAnswer what a
// broken service keeps.
const (
	mostPad     = 1 << 20
	largeAnswer = 64 << 10
)

// pad makes an answer as large as a test asks for.
func (e *entry) pad(size string) {
	n, err := strconv.Atoi(size)
	var body object
	if err != nil || n < 1 || e.Effect == "" || json.Unmarshal(e.Answer.Body, &body) != nil {
		return
	}
	body["receipt"] = strings.Repeat("receipt ", min(n, mostPad)/8)
	e.Answer = says(e.Answer.Status, body)
}

// run checks and executes. What fails is not kept.
func (s *payments) run(caller string, body object) entry {
	switch {
	case text(body, "source_id") == "":
		return entry{Answer: paymentError(400, "INVALID_REQUEST_ERROR", "MISSING_REQUIRED_PARAMETER", "source_id")}
	case whole(body, "amount_money", "amount") == 0, len(text(body, "amount_money", "currency")) != 3:
		return entry{Answer: paymentError(400, "INVALID_REQUEST_ERROR", "INVALID_VALUE", "amount_money")}
	case text(body, "reference_id") == "":
		return entry{Answer: paymentError(400, "INVALID_REQUEST_ERROR", "MISSING_REQUIRED_PARAMETER", "reference_id")}
	}
	id := newID("")
	return entry{ID: id, Effect: caller + "\n" + text(body, "reference_id"), Answer: says(200, object{"payment": object{
		"id": id, "status": "COMPLETED", "amount_money": at(body, "amount_money"), "reference_id": text(body, "reference_id"),
		"created_at": time.Now().UTC().Format(time.RFC3339Nano)}})}
}

// list gives the payments with a reference.
func (s *payments) list(w http.ResponseWriter, r *http.Request) {
	payments := []any{}
	for _, e := range s.count(bearer(r) + "\n" + r.URL.Query().Get("reference_id")) {
		payments = append(payments, object{"id": e.ID})
	}
	says(200, object{"payments": payments}).send(w)
}

func paymentError(status int, category, code, field string) answer {
	e := object{"category": category, "code": code}
	if field != "" {
		e["field"] = field
	}
	return says(status, object{"errors": []any{e}})
}
