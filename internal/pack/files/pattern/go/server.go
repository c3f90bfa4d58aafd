package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// Server answers requests.
type Server struct {
	store    *Store
	payments *Payments
	mux      *http.ServeMux
}

// NewServer makes a server.
func NewServer(store *Store, payments *Payments) *Server {
	s := &Server{store, payments, http.NewServeMux()}
	s.mux.HandleFunc("POST /v1/checkouts", s.operation(s.checkout))
	s.mux.HandleFunc("POST /v1/payments", s.operation(payments.Pay))
	s.mux.HandleFunc("GET /v1/orders", s.listOrders)
	s.mux.HandleFunc("GET /v1/orders/{id}", s.showOrder)
	s.mux.HandleFunc("GET /healthz", s.health)
	for path, allow := range map[string]string{"/v1/checkouts": "POST", "/v1/payments": "POST", "/v1/orders": "GET", "/v1/orders/{id}": "GET", "/healthz": "GET"} {
		s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", allow)
			send(w, problem(http.StatusMethodNotAllowed, "method", "the path does not have this method"))
		})
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { send(w, notFound()) })
	return s
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// operationTime bounds an operation, whoever still listens.
const operationTime = 30 * time.Second

// operation serves a request that makes something. A caller who hangs up changes
// nothing: what was begun is finished, and is there for the retry.
func (s *Server) operation(do func(context.Context, Request) (Answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), operationTime)
		defer cancel()
		request, err := s.store.readRequest(w, r)
		var answer Answer
		if err == nil {
			answer, err = do(ctx, request)
		}
		if err != nil {
			s.refuse(w, err)
			return
		}
		send(w, answer)
	}
}

// checkout makes an order, which is all in our own database.
func (s *Server) checkout(ctx context.Context, r Request) (Answer, error) {
	return s.store.Reserve(ctx, r, func(tx *sql.Tx) (Answer, error) {
		order := newOrder(r)
		return order.made(), s.store.insertOrder(ctx, tx, order)
	})
}

// refuse answers an error. None of these answers is kept: the same request may
// get another one later.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	refused, isRefused := errors.AsType[refusal](err)
	switch {
	case isRefused:
		send(w, problem(refused.status, refused.slug, refused.detail))
	case errors.Is(err, errConflict):
		send(w, problem(http.StatusUnprocessableEntity, "key-conflict", err.Error()))
	case errors.Is(err, errInFlight), errors.Is(err, errLost):
		later(w, http.StatusConflict, "in-flight", errInFlight.Error())
	case errors.Is(err, errUnknown):
		later(w, http.StatusServiceUnavailable, "effect-unknown", err.Error())
	case errors.Is(err, errUnresolved):
		slog.Error("an intent is older than what the provider remembers: somebody has to look it up there")
		send(w, problem(http.StatusServiceUnavailable, "effect-unresolved", err.Error()))
	case errors.Is(err, errNoProvider):
		send(w, problem(http.StatusServiceUnavailable, "no-provider", err.Error()))
	default:
		// Nothing is known to have happened, the commit included: the retry tells.
		slog.Error("the database failed", "error", err)
		later(w, http.StatusServiceUnavailable, "store-unavailable", "the database could not be used")
	}
}

// listOrders shows what was really made of a cart, whoever made it, to be
// counted. A real shop shows each caller its own.
func (s *Server) listOrders(w http.ResponseWriter, r *http.Request) {
	cart := r.URL.Query()["cart_id"]
	if len(cart) != 1 || !isID(cart[0]) {
		send(w, problem(http.StatusBadRequest, "cart-missing", "name the cart by the query parameter cart_id, once"))
		return
	}
	orders, err := s.store.orders(r.Context(), "cart_id", cart[0])
	if err != nil {
		s.refuse(w, err)
		return
	}
	sendJSON(w, map[string]any{"data": orders})
}

func (s *Server) showOrder(w http.ResponseWriter, r *http.Request) {
	orders, err := s.store.orders(r.Context(), "id", r.PathValue("id"))
	switch {
	case err != nil:
		s.refuse(w, err)
	case len(orders) == 0 || orders[0].Caller != callerOf(r.Header):
		send(w, notFound())
	default:
		sendJSON(w, orders[0])
	}
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if err := s.store.db.PingContext(r.Context()); err != nil {
		s.refuse(w, err)
		return
	}
	sendJSON(w, map[string]string{"status": "ok"})
}

// problem is an answer that refuses (RFC 9457).
func problem(status int, slug, detail string) Answer {
	body, _ := json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"/problems/" + slug, http.StatusText(status), status, detail})
	return Answer{Status: status, ContentType: "application/problem+json", Body: string(body)}
}

func notFound() Answer { return problem(http.StatusNotFound, "not-found", "there is nothing here") }

// later refuses what may be sent again in a second.
func later(w http.ResponseWriter, status int, slug, detail string) {
	w.Header().Set("Retry-After", "1")
	send(w, problem(status, slug, detail))
}

func sendJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		send(w, problem(http.StatusInternalServerError, "failed", "the answer cannot be written"))
		return
	}
	send(w, Answer{Status: http.StatusOK, ContentType: "application/json", Body: string(body)})
}

func send(w http.ResponseWriter, a Answer) {
	h := w.Header()
	h.Set("Content-Type", a.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	h.Set("Cache-Control", "no-store")
	if a.Location != "" {
		h.Set("Location", a.Location)
	}
	if a.Replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write([]byte(a.Body))
}
