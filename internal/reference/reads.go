package reference

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
	// maxAdvance bounds one move of time: a year.
	maxAdvance = 366 * 24 * 60 * 60
)

// health says whether the store answers.
func (s *Service) health() Answer {
	if err := s.store.Ping(s.base); err != nil {
		return unavailable()
	}
	return document(map[string]string{"status": "ok"})
}

func (s *Service) listPayments(r *http.Request, kind string) Answer {
	caller, refusal := callerOf(r.Header)
	if refusal != nil {
		return *refusal
	}
	order, limit, refusal := listing(r)
	if refusal != nil {
		return *refusal
	}
	payments, err := s.store.Payments(s.base, kind, caller, order, limit+1)
	if err != nil {
		return unavailable()
	}
	docs := make([]json.RawMessage, 0, len(payments))
	for _, p := range payments {
		docs = append(docs, p.Doc)
	}
	return page(docs, limit)
}

func (s *Service) showPayment(r *http.Request, kind, id string) Answer {
	caller, refusal := callerOf(r.Header)
	if refusal != nil {
		return *refusal
	}
	p, found, err := s.store.Payment(s.base, kind, caller, asciiOnly(id))
	switch {
	case err != nil:
		return unavailable()
	case !found:
		return notFound()
	}
	return Answer{Status: 200, Header: []Field{{"Content-Type", "application/json"}}, Body: p.Doc}
}

func (s *Service) listEffects(r *http.Request) Answer {
	order, limit, refusal := listing(r)
	if refusal != nil {
		return *refusal
	}
	effects, err := s.Behaviour().Effects(s.base, s, order, limit+1)
	if err != nil {
		return unavailable()
	}
	return page(effects, limit)
}

// listing reads the query of a list: which order, and how many at most.
func listing(r *http.Request) (order string, limit int, refusal *Answer) {
	q := r.URL.Query()
	if len(q["order_id"]) != 1 || !orderID(q.Get("order_id")) {
		a := Refuse(400, "order-missing", "order_id is missing, or there more than once")
		return "", 0, &a
	}
	limit = defaultLimit
	if q.Has("limit") {
		n, err := strconv.Atoi(q.Get("limit"))
		if err != nil || n < 1 || n > maxLimit {
			a := Refuse(400, "limit-invalid", "limit is not between 1 and 1000")
			return "", 0, &a
		}
		limit = n
	}
	return q.Get("order_id"), limit, nil
}

// page shows at most limit items and says whether there are more.
func page[T any](items []T, limit int) Answer {
	more := len(items) > limit
	if more {
		items = items[:limit]
	}
	if items == nil {
		items = []T{}
	}
	return document(struct {
		Data    []T  `json:"data"`
		HasMore bool `json:"has_more"`
	}{items, more})
}

func document(v any) Answer {
	return Answer{Status: 200, Header: []Field{{"Content-Type", "application/json"}}, Body: marshal(v)}
}

func unavailable() Answer {
	return RefuseFor(503, "store-unavailable", "the store could not be reached", 1)
}

// advance moves the service's time on, for all replicas on the store and for
// its next start: records and leases age as if the time had passed.
func (s *Service) advance(r *http.Request) Answer {
	if r.Method != http.MethodPost {
		return Refuse(405, "method", "the path does not have this method").With("Allow", "POST")
	}
	n, err := strconv.Atoi(r.URL.Query().Get("seconds"))
	if err != nil || n < 1 || n > maxAdvance {
		return Refuse(400, "seconds-invalid", "seconds is not between 1 and 31622400")
	}
	offset, err := s.store.Shift(s.base, time.Duration(n)*time.Second)
	if err != nil {
		return unavailable()
	}
	s.offset.Store(int64(offset))
	return document(map[string]any{"now": s.Now().UTC().Format(time.RFC3339Nano)})
}
