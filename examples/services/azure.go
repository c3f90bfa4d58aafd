package main

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// azureAPI has the repeatability headers of Azure's REST guidelines (OASIS
// Repeatable Requests 1.0): a GUID and the time at which the request was first
// sent. Successes and 4xx are repeated, a 5xx is tried again; a request first
// sent before the tracked time is refused with 412, never run.
var azureAPI = api{
	name:   "azure-repeatability",
	breaks: []string{"runs-after-window", "ignores-params", "keeps-5xx"},
	open: func(b *book) http.Handler {
		s := &widgets{book: b, failed: map[string]bool{}}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /widgets", s.create)
		mux.HandleFunc("POST /widgets:draft", s.create)
		mux.HandleFunc("GET /widgets", s.list)
		return mux
	},
}

type widgets struct {
	*book

	test   sync.Mutex
	failed map[string]bool // keys that failed once, as a test asked
}

// guid is the form of a Repeatability-Request-ID.
var guid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})

func (s *widgets) create(w http.ResponseWriter, r *http.Request) {
	caller, id, sent := bearer(r), r.Header.Get("Repeatability-Request-ID"), r.Header.Get("Repeatability-First-Sent")
	body, all, err := readJSON(r.Body)
	switch {
	case caller == "":
		azureError(401, "Unauthorized", "no token").send(w)
		return
	case err != nil:
		azureError(400, "InvalidBody", "the body is no JSON object").send(w)
		return
	case id == "" && sent == "":
		e := s.run(r, caller, body)
		if e.Effect != "" && s.perform(e, 0) != nil {
			e.Answer = azureError(500, "InternalError", "the result could not be kept")
		}
		e.Answer.send(w)
		return
	}
	first, err := http.ParseTime(sent)
	switch {
	case err != nil || !guid().MatchString(id) || !strings.HasSuffix(sent, " GMT"):
		s.reject(w, 400, "InvalidRepeatabilityHeader")
		return
	case time.Since(first) > s.retention && s.broken != "runs-after-window":
		s.reject(w, 412, "RepeatabilityTimeExpired")
		return
	}
	print, scoped := fingerprint(r.Method, r.URL.RequestURI(), sent, all), caller+"\n"+strings.ToLower(id)
	f := s.claim(scoped, print)
	switch {
	case f.other != nil && f.other.print != print, f.record != nil && f.record.Print != print && s.broken != "ignores-params":
		s.reject(w, 400, "RepeatabilityRequestMismatch")
		return
	case f.other != nil:
		s.reject(w, 409, "RepeatabilityRequestInProgress")
		return
	case f.record != nil:
		f.record.Answer.send(w)
		return
	}
	defer s.done(scoped)
	e := s.run(r, caller, body)
	e.At = first
	e.Answer.Header = map[string]string{"Repeatability-Result": "accepted"}
	if s.fails(r, scoped) {
		e = entry{At: first, Answer: azureError(500, "InternalError", "as asked")}
		if s.broken == "keeps-5xx" {
			e.Answer.Header = map[string]string{"Repeatability-Result": "accepted"}
		}
	}
	if e.Answer.Status < 500 || s.broken == "keeps-5xx" {
		e.Key, e.Print = scoped, print
		if err := s.perform(e, taking(text(body, "take"))); err != nil {
			e.Answer = azureError(500, "InternalError", "the result could not be kept")
		}
	}
	e.Answer.send(w)
}

// fails says that a test asked for one failure of this key, not yet given.
func (s *widgets) fails(r *http.Request, key string) bool {
	s.test.Lock()
	defer s.test.Unlock()
	if r.Header.Get("X-Test-Fail") != "once" || s.failed[key] {
		return false
	}
	s.failed[key] = true
	return true
}

func (s *widgets) run(_ *http.Request, caller string, body object) entry {
	switch {
	case text(body, "name") == "" || whole(body, "quantity") == 0:
		return entry{Answer: azureError(400, "InvalidWidget", "a widget has a name and a quantity above 0")}
	case text(body, "kind") == "discontinued":
		return entry{Answer: azureError(422, "Discontinued", "this kind is made no more")}
	}
	id := newID("widget-")
	return entry{ID: id, Effect: caller + "\n" + text(body, "name"), Answer: says(201, object{
		"id": id, "name": text(body, "name"), "quantity": at(body, "quantity"), "kind": at(body, "kind")})}
}

// list gives the widgets of a name.
func (s *widgets) list(w http.ResponseWriter, r *http.Request) {
	value := []any{}
	for _, e := range s.count(bearer(r) + "\n" + r.URL.Query().Get("name")) {
		value = append(value, object{"id": e.ID})
	}
	says(200, object{"value": value}).send(w)
}

func (s *widgets) reject(w http.ResponseWriter, status int, code string) {
	azureError(status, code, "the request was not run").send(w, "Repeatability-Result", "rejected")
}

func azureError(status int, code, message string) answer {
	return says(status, object{"error": object{"code": code, "message": message}})
}
