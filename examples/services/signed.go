package main

import (
	"bytes"
	"crypto/hmac"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// signedAPI takes no request whose signature it has seen: each is signed over
// method, target, time, nonce and body (sign.go), so a retry needs a signature
// of its own while all else stays as it was.
var signedAPI = api{
	name:   "signed",
	breaks: []string{"signature-in-fingerprint", "no-claim", "forgets-on-restart", "drops-record-on-hang-up"},
	open: func(b *book) http.Handler {
		s := &transfers{book: b, seen: map[string]time.Time{}, secret: os.Getenv(secretVariable)}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v1/transfers", s.create)
		mux.HandleFunc("GET /v1/transfers", s.list)
		return s.verified(mux)
	},
}

type transfers struct {
	*book
	secret string

	nonces sync.Mutex
	seen   map[string]time.Time
}

// skew is how far a signature's time may be from the server's.
const skew = 60 * time.Second

// verified lets signed requests through, each signature once.
func (s *transfers) verified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		at, nonce := r.Header.Get(timeHeader), r.Header.Get(nonceHeader)
		seconds, bad := strconv.ParseInt(at, 10, 64)
		want := signature(s.secret, r.Method, r.URL.RequestURI(), at, nonce, body)
		got, _ := strings.CutPrefix(r.Header.Get("Authorization"), scheme+" ")
		switch {
		case s.secret == "" || err != nil || !hmac.Equal([]byte(got), []byte(want)):
			transferError(401, "bad-signature").send(w)
		case bad != nil || time.Since(time.Unix(seconds, 0)).Abs() > skew:
			transferError(401, "stale-signature").send(w)
		case !s.fresh(nonce):
			transferError(401, "signature-used-before").send(w)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// fresh says that a nonce comes for the first time.
func (s *transfers) fresh(nonce string) bool {
	s.nonces.Lock()
	defer s.nonces.Unlock()
	for n, at := range s.seen {
		if time.Since(at) > 2*skew {
			delete(s.seen, n)
		}
	}
	if _, used := s.seen[nonce]; used || nonce == "" {
		return false
	}
	s.seen[nonce] = time.Now()
	return true
}

func (s *transfers) create(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	body, all, err := readJSON(r.Body)
	switch {
	case err != nil || text(body, "reference") == "" || whole(body, "amount") == 0 || text(body, "to") == "":
		transferError(400, "invalid-transfer").send(w)
		return
	case key == "":
		transferError(400, "key-missing").send(w)
		return
	}
	print := fingerprint(r.Method, r.URL.RequestURI(), all)
	if s.broken == "signature-in-fingerprint" {
		print = fingerprint(print, r.Header.Get("Authorization"))
	}
	f := s.claim(key, print)
	switch {
	case f.other != nil && f.other.print != print, f.record != nil && f.record.Print != print:
		transferError(422, "key-reused").send(w)
		return
	case f.other != nil:
		transferError(409, "key-in-use").send(w, "Retry-After", "1")
		return
	case f.record != nil:
		f.record.Answer.send(w, "Idempotent-Replayed", "true")
		return
	}
	defer s.done(key)
	id := newID("tr_")
	e := entry{Key: key, Print: print, At: time.Now(), ID: id, Effect: text(body, "reference"), Answer: says(201, object{
		"id": id, "reference": text(body, "reference"), "amount": at(body, "amount"), "to": text(body, "to")})}
	if s.broken == "drops-record-on-hang-up" {
		time.Sleep(s.work)
		if r.Context().Err() != nil {
			e.Key = "" // the money moves, and who moved it is forgotten
		}
	}
	if err := s.perform(e, taking(text(body, "take"))); err != nil {
		e.Answer = transferError(500, "not-kept")
	}
	e.Answer.send(w)
}

// list gives the transfers with a reference.
func (s *transfers) list(w http.ResponseWriter, r *http.Request) {
	data := []any{}
	for _, e := range s.count(r.URL.Query().Get("reference")) {
		data = append(data, object{"id": e.ID})
	}
	says(200, object{"data": data}).send(w)
}

func transferError(status int, code string) answer {
	return says(status, object{"type": "about:blank", "title": code, "status": status})
}
